//go:build !race

package twophase_test

const raceDetector = false

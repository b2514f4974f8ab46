//go:build race

package twophase_test

const raceDetector = true

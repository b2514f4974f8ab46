package broker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tclog "github.com/testcontainers/testcontainers-go/log"
)

// Labels of everything this project makes in an engine. A run that is killed
// leaves its containers behind; the owner label lets the next one see that.
const (
	projectLabel = "onceproof"
	ownerLabel   = "onceproof.owner"
)

// owner is the process that made a container, on its machine. The start time
// tells it from a later process of the same number.
type owner struct {
	host    string
	pid     int
	started string
}

func currentOwner() owner {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	started, _ := processStart(os.Getpid())
	return owner{host, os.Getpid(), started}
}

func (o owner) String() string { return fmt.Sprintf("%s/%d/%s", o.host, o.pid, o.started) }

func (o owner) labels() map[string]string {
	return map[string]string{projectLabel: "true", ownerLabel: o.String()}
}

// isDead reports whether the process that an owner label names is known to be
// gone. What another machine made is left alone.
func (o owner) isDead(label string) bool {
	parts := strings.Split(label, "/")
	if len(parts) != 3 || parts[0] != o.host || label == o.String() {
		return false
	}
	pid, err := strconv.Atoi(parts[1])
	if err != nil {
		return false
	}
	started, err := processStart(pid)
	return errors.Is(err, fs.ErrNotExist) || err == nil && started != parts[2]
}

// processStart is when a process started, in the kernel's clock ticks (field 22 of
// /proc/PID/stat). Where there is no /proc, every process counts as alive.
func processStart(pid int) (string, error) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		return "", errors.New("no /proc")
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// The command, in parentheses, may hold anything.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 {
		return "", fmt.Errorf("/proc/%d/stat has %d fields behind the command", pid, len(fields))
	}
	return fields[19], nil
}

// removeLeftovers removes containers and networks of this project whose
// process is dead.
func removeLeftovers(ctx context.Context, engine *testcontainers.DockerClient, self owner) error {
	ours := make(client.Filters).Add("label", projectLabel+"=true")
	containers, err := engine.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: ours})
	if err != nil {
		return err
	}
	for _, c := range containers.Items {
		if self.isDead(c.Labels[ownerLabel]) {
			if err := removeContainer(ctx, engine, c.ID); err != nil {
				return err
			}
		}
	}
	networks, err := engine.NetworkList(ctx, client.NetworkListOptions{Filters: ours})
	if err != nil {
		return err
	}
	for _, n := range networks.Items {
		if self.isDead(n.Labels[ownerLabel]) {
			if _, err := engine.NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{}); err != nil && !gone(err) {
				return err
			}
		}
	}
	return nil
}

// removeContainer kills and removes a container with its volumes.
func removeContainer(ctx context.Context, engine *testcontainers.DockerClient, id string) error {
	_, err := engine.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if gone(err) {
		return nil
	}
	return err
}

// gone reports whether an error says that the thing is not there any more, or
// that someone else is removing it just now.
func gone(err error) bool {
	return errdefs.IsNotFound(err) || errdefs.IsConflict(err)
}

// prepareEnvironment sets what testcontainers reads from the environment only.
// Its reaper needs an image from a registry, and in a container it would dial
// the gateway instead of this machine, where the engine is.
func prepareEnvironment() error {
	quietTestcontainers()
	if err := setUnlessSet("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		return err
	}
	if host := os.Getenv("DOCKER_HOST"); host != "" && !strings.HasPrefix(host, "unix://") {
		return fmt.Errorf("expected a local Docker engine, got DOCKER_HOST=%s: ports are published on 127.0.0.1 only", host)
	}
	return setUnlessSet("TESTCONTAINERS_HOST_OVERRIDE", "127.0.0.1")
}

// quietTestcontainers stops it from logging to standard error; what matters is
// in its errors too. Its logger belongs to the process and is set without a
// lock, hence once, before anything else is asked of it.
var quietTestcontainers = sync.OnceFunc(func() { tclog.SetDefault(tclog.NewNoopLogger()) })

func setUnlessSet(name, value string) error {
	if _, ok := os.LookupEnv(name); ok {
		return nil
	}
	return os.Setenv(name, value)
}

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// request is one line of `oracle serve`: a world and what to ask about it. Fields that are absent have the flags' values.
type request struct {
	Command          string          `json:"command"` // solve or disrupt
	World            json.RawMessage `json:"world"`   // a List
	Runs             int             `json:"runs"`    // solve: that many answers, each on a fresh world
	Now              string          `json:"now"`
	InstanceTypes    string          `json:"instanceTypes"`
	PreferencePolicy string          `json:"preferencePolicy"`
	MinValuesPolicy  string          `json:"minValuesPolicy"`
	SpotToSpot       *bool           `json:"spotToSpot"`
	NodeOverlay      *bool           `json:"nodeOverlay"`
	CapacityBuffer   *bool           `json:"capacityBuffer"`
	StaticCapacity   *bool           `json:"staticCapacity"`
	Disrupt          disruptConfig   `json:"disrupt"`
	Later            json.RawMessage `json:"later"` // disrupt: a List, the cluster when commands are validated
	LaterDisrupt     disruptConfig   `json:"laterDisrupt"`
}

type answer struct {
	Solve   []*solveResult `json:"solve,omitempty"`
	Disrupt *disruptResult `json:"disrupt,omitempty"`
	Error   string         `json:"error,omitempty"`
}

// serve answers one request per line, so that thousands of small worlds don't cost a process each.
func serve(base worldConfig, in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	enc := json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			if err := enc.Encode(respond(base, line)); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func respond(cfg worldConfig, line []byte) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Error: fmt.Sprintf("panic: %v", r)}
		}
	}()
	req := request{}
	if err := json.Unmarshal(line, &req); err != nil {
		return answer{Error: err.Error()}
	}
	cfg.raw, cfg.later = req.World, req.Later
	cfg.whole = true
	cfg.disrupt, cfg.laterDisrupt = req.Disrupt, req.LaterDisrupt
	override(&cfg.now, req.Now)
	override(&cfg.instanceTypes, req.InstanceTypes)
	override(&cfg.preferencePolicy, req.PreferencePolicy)
	override(&cfg.minValuesPolicy, req.MinValuesPolicy)
	overrideGate(&cfg.spotToSpot, req.SpotToSpot)
	overrideGate(&cfg.nodeOverlay, req.NodeOverlay)
	overrideGate(&cfg.capacityBuffer, req.CapacityBuffer)
	overrideGate(&cfg.staticCapacity, req.StaticCapacity)
	var err error
	switch req.Command {
	case "solve":
		for range max(1, req.Runs) {
			var r *solveResult
			if r, err = solve(cfg, 1); err != nil {
				break
			}
			a.Solve = append(a.Solve, r)
		}
	case "disrupt":
		a.Disrupt, err = disrupt(cfg)
	default:
		err = fmt.Errorf("unknown command %q", req.Command)
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	return a
}

func override(field *string, value string) {
	if value != "" {
		*field = value
	}
}

func overrideGate(field, value *bool) {
	if value != nil {
		*field = *value
	}
}

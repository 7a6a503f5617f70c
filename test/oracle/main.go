// Command oracle asks the real Karpenter (sigs.k8s.io/karpenter, the version in go.mod) what it would do for a frozen
// set of Kubernetes objects, and prints the answer as JSON.
//
//	oracle solve   [flags] FILE...   one provisioning round: new NodeClaims, pods per existing node, pod errors
//	oracle disrupt [flags] FILE...   one disruption round: candidates and the first command of every method
//	oracle gen -kind K -pods N -nodes M -seed S   a reproducible world (see gen.go), for tests and benchmarks
//	oracle serve [flags]             the same for one JSON request per line of stdin (see serve.go)
//	oracle types                     the built-in instance types, as a file that -instance-types takes
//	oracle crds                      Karpenter's own CRDs, to compare schemas with
//	oracle metrics                   every metric that Karpenter registers, to compare names, labels and buckets with
//
// FILE holds YAML or JSON documents: NodePools, KWOKNodeClasses, Nodes, NodeClaims, Pods, DaemonSets, PDBs, PVCs, …
// Instance types come from -instance-types (the file format of Karpenter's kwok provider, and what offerings.go adds to it) or
// its built-in 144.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	kwokapis "sigs.k8s.io/karpenter/kwok/apis"
	"sigs.k8s.io/karpenter/pkg/apis"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: oracle solve|disrupt|gen|serve|types|crds|metrics [flags] FILE...")
		os.Exit(2)
	}
	fs := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	cfg := worldConfig{}
	fs.StringVar(&cfg.instanceTypes, "instance-types", "", "instance types file (kwok provider format)")
	fs.StringVar(&cfg.now, "now", "", "the time of the frozen cluster, RFC 3339 (default: now)")
	fs.StringVar(&cfg.preferencePolicy, "preference-policy", "Respect", "Respect or Ignore")
	fs.StringVar(&cfg.minValuesPolicy, "min-values-policy", "Strict", "Strict or BestEffort")
	fs.BoolVar(&cfg.spotToSpot, "spot-to-spot", false, "feature gate SpotToSpotConsolidation")
	fs.BoolVar(&cfg.reservedCapacity, "reserved-capacity", true, "feature gate ReservedCapacity")
	fs.BoolVar(&cfg.ignoreDRARequests, "ignore-dra", true, "ignore DRA requests")
	fs.BoolVar(&cfg.patient, "patient", false, "solve: go on after the provisioner's minute; pods on deleting nodes are left out")
	fs.BoolVar(&cfg.nodeOverlay, "node-overlay", false, "feature gate NodeOverlay")
	fs.BoolVar(&cfg.capacityBuffer, "capacity-buffer", false, "feature gate CapacityBuffer")
	fs.BoolVar(&cfg.staticCapacity, "static-capacity", false, "feature gate StaticCapacity")
	kind := fs.String("kind", "diverse", "gen: diverse, preferences, replicas, pools, fragmented or packed")
	pods := fs.Int("pods", 100, "gen: pending pods")
	nodes := fs.Int("nodes", 100, "gen: running nodes")
	seed := fs.Int64("seed", 1, "gen: seed")
	repeat := fs.Int("repeat", 1, "solve: run that many times, each on a fresh world, and report each time")
	_ = fs.Parse(os.Args[2:])
	cfg.files = fs.Args()

	var out any
	var err error
	switch os.Args[1] {
	case "solve":
		out, err = solve(cfg, *repeat)
	case "disrupt":
		out, err = disrupt(cfg)
	case "gen":
		out, err = generate(*kind, *pods, *nodes, *seed)
	case "serve":
		if err = serve(cfg, os.Stdin, os.Stdout); err == nil {
			return
		}
	case "types":
		out, err = instanceTypes()
	case "crds":
		out = append(apis.CRDs, kwokapis.CRDs...)
	case "metrics":
		out, err = metrics(cfg)
	default:
		err = fmt.Errorf("unknown command %q", os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	_ = enc.Encode(out)
}

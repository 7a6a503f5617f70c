package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	fakecr "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	kwokv1alpha1 "sigs.k8s.io/karpenter/kwok/apis/v1alpha1"
	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	kwokoptions "sigs.k8s.io/karpenter/kwok/options"
	autoscalingv1beta1 "sigs.k8s.io/karpenter/pkg/apis/autoscaling/v1beta1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers/capacitybuffer"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeoverlay"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/virtualpods"
	"sigs.k8s.io/karpenter/pkg/test"
)

// World is one frozen cluster: the objects of the input files behind a fake API client, and Karpenter's own
// in-memory state built from them.
type World struct {
	ctx     context.Context
	client  client.Client
	frozen  *frozen
	clock   *clocktesting.FakeClock
	cloud   cloudprovider.CloudProvider
	cluster *state.Cluster
	events  *eventLog
	pods    []*corev1.Pod
	// virtual are the pods of CapacityBuffers.
	virtual *virtualpods.Cache
}

// eventLog keeps every event that Karpenter publishes, in order of appearance and without duplicates.
type eventLog struct {
	mu   sync.Mutex
	seen map[string]bool
	list []map[string]string
}

func (e *eventLog) Publish(evts ...events.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, evt := range evts {
		obj, ok := evt.InvolvedObject.(client.Object)
		if !ok {
			continue
		}
		kind := strings.TrimPrefix(fmt.Sprintf("%T", evt.InvolvedObject), "*")
		kind = kind[strings.LastIndex(kind, ".")+1:]
		key := kind + "/" + obj.GetName() + "/" + evt.Reason + "/" + evt.Message
		if e.seen[key] {
			continue
		}
		e.seen[key] = true
		e.list = append(e.list, map[string]string{
			"object": kind + "/" + obj.GetName(), "type": evt.Type, "reason": evt.Reason, "message": evt.Message,
		})
	}
}

// reset forgets what has been published.
func (e *eventLog) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen, e.list = map[string]bool{}, nil
}

type worldConfig struct {
	files             []string
	raw               []byte // one document, instead of files
	instanceTypes     string
	now               string
	preferencePolicy  string
	minValuesPolicy   string
	spotToSpot        bool
	reservedCapacity  bool
	ignoreDRARequests bool
	patient           bool
	whole             bool // solve: tell also what a pass decides beside where pods go
	nodeOverlay       bool
	capacityBuffer    bool
	staticCapacity    bool
	disrupt           disruptConfig
	later             []byte // disrupt: the cluster when commands are validated; the same if absent
	laterDisrupt      disruptConfig
}

func newWorld(cfg worldConfig) (*World, error) {
	ctx := injection.WithControllerName(context.Background(), "oracle")
	opts := test.Options()
	opts.PreferencePolicy = options.PreferencePolicy(cfg.preferencePolicy)
	opts.MinValuesPolicy = options.MinValuesPolicy(cfg.minValuesPolicy)
	opts.FeatureGates.SpotToSpotConsolidation = cfg.spotToSpot
	opts.FeatureGates.ReservedCapacity = cfg.reservedCapacity
	opts.FeatureGates.NodeOverlay = cfg.nodeOverlay
	opts.FeatureGates.CapacityBuffer = cfg.capacityBuffer
	opts.FeatureGates.StaticCapacity = cfg.staticCapacity
	opts.IgnoreDRARequests = cfg.ignoreDRARequests
	ctx = options.ToContext(ctx, opts)
	ctx = kwokoptions.ToContext(ctx, &kwokoptions.Options{InstanceTypesFilePath: cfg.instanceTypes})
	// The kwok provider has no reservations of its own; a catalogue file may have some.
	cloudprovider.ReservationIDLabel = "karpenter.kwok.sh/reservation-id"
	v1.WellKnownLabels = v1.WellKnownLabels.Insert(cloudprovider.ReservationIDLabel)
	its, err := kwok.ConstructInstanceTypes(ctx)
	if err != nil {
		return nil, err
	}
	if err := changeOfferings(cfg.instanceTypes, its); err != nil {
		return nil, err
	}
	now := time.Now()
	if cfg.now != "" {
		if now, err = time.Parse(time.RFC3339, cfg.now); err != nil {
			return nil, err
		}
	}
	var objs []client.Object
	if cfg.raw != nil {
		objs, err = decode("request", cfg.raw)
	} else {
		objs, err = readObjects(cfg.files)
	}
	if err != nil {
		return nil, err
	}
	clk := clocktesting.NewFakeClock(now)
	w := &World{ctx: ctx, clock: clk, events: &eventLog{seen: map[string]bool{}}}
	for i, o := range objs {
		if o.GetUID() == "" {
			o.SetUID(types.UID(fmt.Sprintf("uid-%06d", i)))
		}
		if t := o.GetCreationTimestamp(); t.IsZero() {
			t.Time = now.Add(-time.Hour)
			o.SetCreationTimestamp(t)
		}
		switch t := o.(type) {
		case *v1.NodePool:
			if len(t.Status.Conditions) > 0 { // what a hand-written file leaves out is that it is ready
				break
			}
			t.StatusConditions().SetTrue("NodeClassReady")
			t.StatusConditions().SetTrue("ValidationSucceeded")
			t.StatusConditions().SetTrue("Ready")
		case *corev1.Pod:
			w.pods = append(w.pods, t)
		}
	}
	if w.frozen, err = newFrozen(fakecr.NewClientBuilder().WithScheme(scheme.Scheme).Build(), objs); err != nil {
		return nil, err
	}
	w.client = w.frozen
	undecorated := kwok.NewCloudProvider(ctx, w.client, its)
	store := nodeoverlay.NewInstanceTypeStore()
	w.cloud = overlay.Decorate(undecorated, w.client, store)
	w.cluster = state.NewCluster(clk, w.client, w.cloud)
	if cfg.nodeOverlay {
		if _, err := nodeoverlay.NewController(clk, w.client, undecorated, store, w.cluster).Reconcile(ctx, reconcile.Request{}); err != nil {
			return nil, err
		}
	}
	if err := w.resolveBuffers(cfg, objs, now); err != nil {
		return nil, err
	}
	for _, o := range objs {
		if nc, ok := o.(*v1.NodeClaim); ok {
			w.cluster.UpdateNodeClaim(nc)
		}
	}
	for _, o := range objs {
		switch t := o.(type) {
		case *corev1.Node:
			if err := w.cluster.UpdateNode(ctx, t); err != nil {
				return nil, err
			}
		case *appsv1.DaemonSet:
			if err := w.cluster.UpdateDaemonSet(ctx, t); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range w.pods {
		// A pod on a node that is not taken note of yet would be tried again.
		if err := w.cluster.UpdatePod(ctx, p); client.IgnoreNotFound(err) != nil {
			return nil, err
		}
	}
	return w, nil
}

// resolveBuffers has Karpenter's own controller work out the size of every CapacityBuffer. Their pods are as old as the
// frozen cluster, so that where they come in the queue doesn't depend on the day of the run.
func (w *World) resolveBuffers(cfg worldConfig, objs []client.Object, now time.Time) error {
	w.virtual = virtualpods.NewVirtualPodCache(w.client)
	if !cfg.capacityBuffer {
		return nil
	}
	controller := capacitybuffer.NewController(w.client, nil, w.virtual)
	for _, o := range objs {
		if _, ok := o.(*autoscalingv1beta1.CapacityBuffer); !ok {
			continue
		}
		// What can't be resolved is told in the buffer's conditions.
		_, _ = controller.Reconcile(w.ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)})
	}
	for _, p := range w.virtual.GetAll(w.ctx) {
		p.CreationTimestamp.Time = now
	}
	return nil
}

// readObjects decodes every document of every file (folders are walked) into its typed object; a List is flattened.
func readObjects(paths []string) ([]client.Object, error) {
	var out []client.Object
	var files []string
	for _, p := range paths {
		err := filepath.Walk(p, func(f string, info os.FileInfo, err error) error {
			if err == nil && !info.IsDir() && (strings.HasSuffix(f, ".yaml") || strings.HasSuffix(f, ".yml") || strings.HasSuffix(f, ".json")) {
				files = append(files, f)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	sort.Strings(files)
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for _, doc := range strings.Split("\n"+string(raw), "\n---") {
			if strings.TrimSpace(doc) == "" {
				continue
			}
			objs, err := decode(f, []byte(doc))
			if err != nil {
				return nil, err
			}
			out = append(out, objs...)
		}
	}
	return out, nil
}

// decode reads one document; a List is flattened.
func decode(from string, doc []byte) ([]client.Object, error) {
	_ = kwokv1alpha1.KWOKNodeClass{}
	var out []client.Object
	js, err := yaml.YAMLToJSON(doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(js, &u.Object); err != nil || u.Object == nil {
		return nil, nil
	}
	items := []*unstructured.Unstructured{u}
	if u.IsList() {
		items = nil
		_ = u.EachListItem(func(o runtime.Object) error {
			items = append(items, o.(*unstructured.Unstructured))
			return nil
		})
	}
	for _, it := range items {
		typed, err := scheme.Scheme.New(it.GroupVersionKind())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(it.Object, typed); err != nil {
			return nil, fmt.Errorf("%s: %s %s: %w", from, it.GetKind(), it.GetName(), err)
		}
		o := typed.(client.Object)
		if o.GetNamespace() == "" && isNamespaced(it.GetKind()) {
			o.SetNamespace("default")
		}
		scheme.Scheme.Default(o)
		out = append(out, o)
	}
	return out, nil
}

func isNamespaced(kind string) bool {
	switch kind {
	case "Pod", "CapacityBuffer", "PodTemplate", "LimitRange", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet", "PersistentVolumeClaim", "PodDisruptionBudget", "ResourceClaim", "ResourceClaimTemplate", "Job":
		return true
	}
	return false
}

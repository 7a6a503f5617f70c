package main

import (
	"context"
	"slices"
	"sort"
	"time"

	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	autoscalingv1beta1 "sigs.k8s.io/karpenter/pkg/apis/autoscaling/v1beta1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1alpha1"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	static "sigs.k8s.io/karpenter/pkg/controllers/static/provisioning"
	nodeutils "sigs.k8s.io/karpenter/pkg/utils/node"
)

type bufferState struct {
	Replicas *int32 `json:"replicas,omitempty"`
	// Conditions are "status reason: message" by type.
	Conditions map[string]string `json:"conditions"`
}

// addRest tells what a pass decides beside where pods go.
func (w *World) addRest(res *solveResult, r scheduling.Results, prov *provisioning.Provisioner, cfg worldConfig) error {
	claims := slices.Clone(r.NewNodeClaims)
	sort.SliceStable(claims, func(i, j int) bool { return first(podNames(claims[i].Pods)) < first(podNames(claims[j].Pods)) })
	for _, nc := range claims {
		res.Claims = append(res.Claims, created(nc.ToNodeClaim))
	}
	pods, err := nodeutils.GetProvisionablePods(w.ctx, w.client)
	if err != nil {
		return err
	}
	res.Rejected = map[string]string{}
	for _, p := range pods {
		if err := prov.Validate(w.ctx, p); err != nil {
			res.Rejected[p.Namespace+"/"+p.Name] = err.Error()
		}
	}
	if cfg.nodeOverlay {
		if res.Overlays, err = w.overlays(); err != nil {
			return err
		}
	}
	if cfg.staticCapacity {
		if res.StaticClaims, res.StaticPanics, err = w.staticClaims(); err != nil {
			return err
		}
	}
	if cfg.capacityBuffer {
		res.Buffers, err = w.buffers(prov)
	}
	return err
}

// created is nil where Karpenter panics: it does where a label of its own making has to be a number below zero.
func created(make func() *v1.NodeClaim) (nc *v1.NodeClaim) {
	defer func() { _ = recover() }()
	return make()
}

func (w *World) overlays() (map[string]string, error) {
	list := &v1alpha1.NodeOverlayList{}
	if err := w.client.List(w.ctx, list); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for i := range list.Items {
		out[list.Items[i].Name] = ""
		if c := list.Items[i].StatusConditions().Get(v1alpha1.ConditionTypeValidationSucceeded); !c.IsTrue() {
			out[list.Items[i].Name] = c.Reason + ": " + c.Message
		}
	}
	return out, nil
}

// staticClaims also tells whether Karpenter panicked over one of them.
func (w *World) staticClaims() (out []*v1.NodeClaim, panicked bool, err error) {
	pools := &v1.NodePoolList{}
	if err := w.client.List(w.ctx, pools); err != nil {
		return nil, false, err
	}
	defer outlivePanics(func() { panicked = true })()
	before := len(w.frozen.created)
	controller := static.NewController(w.client, w.cluster, w.events, w.cloud, nil, w.clock, nil, w.virtual)
	for i := range pools.Items {
		if _, err := controller.Reconcile(w.ctx, &pools.Items[i]); err != nil {
			return nil, panicked, err
		}
	}
	for _, o := range w.frozen.created[before:] {
		out = append(out, o.(*v1.NodeClaim))
	}
	return out, panicked, nil
}

// outlivePanics tells of panics in Karpenter's own goroutines, which would end this process, until the answer is called.
func outlivePanics(tell func()) func() {
	crash, handlers := utilruntime.ReallyCrash, utilruntime.PanicHandlers
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = []func(context.Context, any){func(context.Context, any) { tell() }}
	return func() { utilruntime.ReallyCrash, utilruntime.PanicHandlers = crash, handlers }
}

// buffers makes a whole pass (in small steps of time, so that its trigger is seen before its patience ends), since that is what writes conditions; while a claim is being launched there is none.
func (w *World) buffers(prov *provisioning.Provisioner) (map[string]bufferState, error) {
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if w.clock.HasWaiters() {
				w.clock.Step(200 * time.Millisecond)
			}
			time.Sleep(100 * time.Microsecond)
		}
	}()
	defer outlivePanics(func() {})()
	prov.Trigger(types.UID("buffers"))
	// Claims that can't be created for want of room in their pool are an error here, and no matter.
	_, _ = prov.Reconcile(w.ctx)
	list := &autoscalingv1beta1.CapacityBufferList{}
	if err := w.client.List(w.ctx, list); err != nil {
		return nil, err
	}
	out := map[string]bufferState{}
	for i := range list.Items {
		b := &list.Items[i]
		state := bufferState{Replicas: b.Status.Replicas, Conditions: map[string]string{}}
		for _, c := range b.Status.Conditions {
			state.Conditions[c.Type] = string(c.Status) + " " + c.Reason + ": " + c.Message
		}
		out[client.ObjectKeyFromObject(b).String()] = state
	}
	return out, nil
}

package main

import (
	"encoding/json"
	"os"

	corev1 "k8s.io/api/core/v1"

	"sigs.k8s.io/karpenter/pkg/cloudprovider"
)

// offeringChange is what the kwok provider can't express about an offering and other providers do.
type offeringChange struct {
	SoldOut          bool                `json:"soldOut"`
	CapacityOverride corev1.ResourceList `json:"capacityOverride"`
	OverheadOverride corev1.ResourceList `json:"overheadOverride"` // reserved for the kubelet
}

// changeOfferings reads what a catalogue file says beyond the kwok provider's format.
func changeOfferings(file string, its []*cloudprovider.InstanceType) error {
	if file == "" {
		return nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changes := []struct {
		Offerings []offeringChange `json:"offerings"`
	}{}
	if err := json.Unmarshal(raw, &changes); err != nil {
		return err
	}
	for i, it := range its {
		for j, o := range it.Offerings {
			change := changes[i].Offerings[j]
			o.Available = !change.SoldOut
			o.CapacityOverride = change.CapacityOverride
			if change.OverheadOverride != nil {
				o.OverheadOverride = &cloudprovider.InstanceTypeOverhead{KubeReserved: change.OverheadOverride}
			}
		}
	}
	return nil
}

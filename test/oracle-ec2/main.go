// Command oracle-ec2 measures what the launch path of upstream's EC2 provider (the version in go.mod) takes over upstream's own
// fake of EC2, and prints it as JSON: milliseconds of processor time by step. FILE holds instance types as EC2 describes them.
//
//	oracle-ec2 FILE LAUNCHES
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/go-logr/logr"
	"github.com/patrickmn/go-cache"
	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/events"
	coreoptions "sigs.k8s.io/karpenter/pkg/operator/options"

	v1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	awscache "github.com/aws/karpenter-provider-aws/pkg/cache"
	awsfake "github.com/aws/karpenter-provider-aws/pkg/fake"
	"github.com/aws/karpenter-provider-aws/pkg/operator/options"
	"github.com/aws/karpenter-provider-aws/pkg/providers/amifamily"
	"github.com/aws/karpenter-provider-aws/pkg/providers/arczonalshift"
	"github.com/aws/karpenter-provider-aws/pkg/providers/capacityreservation"
	"github.com/aws/karpenter-provider-aws/pkg/providers/instance"
	"github.com/aws/karpenter-provider-aws/pkg/providers/instancetype"
	"github.com/aws/karpenter-provider-aws/pkg/providers/launchtemplate"
	"github.com/aws/karpenter-provider-aws/pkg/providers/placementgroup"
	"github.com/aws/karpenter-provider-aws/pkg/providers/pricing"
	"github.com/aws/karpenter-provider-aws/pkg/providers/securitygroup"
	"github.com/aws/karpenter-provider-aws/pkg/providers/subnet"
)

const region = "us-west-2"

// Ours measures the same, see test/bench/measure-provider.ts.
type measured struct {
	TypesFirst   float64 `json:"typesFirst"`
	TypesAgain   float64 `json:"typesAgain"`
	LaunchAlike  float64 `json:"launchAlike"`
	LaunchUnlike float64 `json:"launchUnlike"`
	LaunchMany   float64 `json:"launchMany"`
	Types        int     `json:"types"`
	Overrides    int     `json:"overrides"`
}

type silent struct{}

func (silent) Publish(...events.Event) {}

func main() {
	var types []ec2types.InstanceTypeInfo
	lo.Must0(json.Unmarshal(lo.Must(os.ReadFile(os.Args[1])), &types))
	launches := lo.Must(strconv.Atoi(os.Args[2]))
	r := newRig(types)
	var out measured
	out.TypesFirst = cpuOf(1, func(int) { out.Types = len(r.list()) })
	out.TypesAgain = cpuOf(50, func(int) { r.list() })
	r.launch(claim("alike"))
	out.LaunchAlike = cpuOf(20, func(int) { r.launch(claim("alike")) })
	fleet := r.ec2.CreateFleetBehavior.CalledWithInput.Pop()
	names := map[string]bool{}
	for _, config := range fleet.LaunchTemplateConfigs {
		out.Overrides += len(config.Overrides)
		for _, override := range config.Overrides {
			names[string(override.InstanceType)] = true
		}
	}
	named := karpv1.NodeSelectorRequirementWithMinValues{Key: corev1.LabelInstanceTypeStable, Operator: corev1.NodeSelectorOpIn, Values: lo.Keys(names)}
	out.LaunchUnlike = cpuOf(20, func(i int) { r.launch(claim(strconv.Itoa(i), named)) })
	out.LaunchMany = cpuOf(1, func(int) {
		var all sync.WaitGroup
		for range launches {
			all.Go(func() { r.launch(claim("alike")) })
		}
		all.Wait()
	})
	lo.Must0(json.NewEncoder(os.Stdout).Encode(out))
}

// cpuOf is the mean of n runs in milliseconds of processor time, that of all threads.
func cpuOf(n int, run func(i int)) float64 {
	start := cpu()
	for i := range n {
		run(i)
	}
	return (cpu() - start) / float64(n)
}

func cpu() float64 {
	var usage syscall.Rusage
	lo.Must0(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	millis := func(t syscall.Timeval) float64 { return float64(t.Sec)*1000 + float64(t.Usec)/1000 }
	return millis(usage.Utime) + millis(usage.Stime)
}

type rig struct {
	ctx       context.Context
	ec2       *awsfake.EC2API
	class     *v1.EC2NodeClass
	types     *instancetype.DefaultProvider
	instances *instance.DefaultProvider
}

func (r *rig) list() []*cloudprovider.InstanceType { return lo.Must(r.types.List(r.ctx, r.class)) }

func (r *rig) launch(c *karpv1.NodeClaim) {
	lo.Must(r.instances.Create(r.ctx, r.class, c, map[string]string{"team": "a"}, r.list()))
}

// claim is to be spot: without that only types count that are as spot no dearer than the cheapest on demand. Claims with another label get launch templates of their own.
func claim(label string, more ...karpv1.NodeSelectorRequirementWithMinValues) *karpv1.NodeClaim {
	spot := karpv1.NodeSelectorRequirementWithMinValues{Key: karpv1.CapacityTypeLabelKey, Operator: corev1.NodeSelectorOpIn, Values: []string{"spot"}}
	return &karpv1.NodeClaim{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{karpv1.NodePoolLabelKey: "pool", "label": label}},
		Spec:       karpv1.NodeClaimSpec{Requirements: append([]karpv1.NodeSelectorRequirementWithMinValues{spot}, more...)},
	}
}

// newRig sells all types in four zones, at list prices, and as spot for two fifths of them.
func newRig(types []ec2types.InstanceTypeInfo) *rig {
	log.SetLogger(logr.Discard())
	ctx := options.ToContext(context.Background(), &options.Options{ClusterName: "bench", VMMemoryOverheadPercent: 0.075})
	core := &coreoptions.Options{}
	core.FeatureGates.ReservedCapacity = true
	ctx = coreoptions.ToContext(ctx, core)
	api := awsfake.NewEC2API()
	class := sell(api, types)
	kept := func() *cache.Cache { return cache.New(awscache.DefaultTTL, awscache.DefaultCleanupInterval) }
	unavailable := awscache.NewUnavailableOfferings()
	prices := pricing.NewDefaultProvider(&awsfake.PricingAPI{}, api, region, false)
	lo.Must0(prices.UpdateSpotPricing(ctx))
	subnets := subnet.NewDefaultProvider(api, kept(), kept())
	lo.Must(subnets.List(ctx, class))
	groups := placementgroup.NewProvider(api, kept(), kept())
	reservations := capacityreservation.NewProvider(api, clock.RealClock{}, kept(), kept())
	shifts := arczonalshift.NewProvider(awsfake.NewARCZonalShiftAPI(), clock.RealClock{}, "")
	sold := instancetype.NewDefaultProvider(kept(), kept(), kept(), api, subnets, prices, reservations, groups, unavailable,
		instancetype.NewDefaultResolver(region), shifts, fake.NewClientBuilder().Build())
	lo.Must0(sold.UpdateInstanceTypes(ctx))
	lo.Must0(sold.UpdateInstanceTypeOfferings(ctx))
	templates := launchtemplate.NewDefaultProvider(ctx, kept(), api, awsfake.NewEKSAPI(), amifamily.NewDefaultResolver(region),
		securitygroup.NewDefaultProvider(api, kept()), subnets, groups, lo.ToPtr("Y2EtYnVuZGxl"), make(chan struct{}),
		net.ParseIP("10.100.0.10"), "https://bench.example")
	templates.ClusterCIDR.Store(lo.ToPtr("10.100.0.0/16"))
	instances := instance.NewDefaultProvider(ctx, region, silent{}, api, unavailable, subnets, templates, reservations, groups, shifts,
		cache.New(cache.NoExpiration, cache.NoExpiration))
	return &rig{ctx: ctx, ec2: api, class: class, types: sold, instances: instances}
}

func sell(api *awsfake.EC2API, types []ec2types.InstanceTypeInfo) *v1.EC2NodeClass {
	api.DescribeInstanceTypesOutput.Set(&ec2.DescribeInstanceTypesOutput{InstanceTypes: types})
	class := &v1.EC2NodeClass{ObjectMeta: metav1.ObjectMeta{Name: "default", UID: "class", Generation: 1}}
	class.Spec.AMISelectorTerms = []v1.AMISelectorTerm{{Alias: "al2023@latest"}}
	class.Spec.SubnetSelectorTerms = []v1.SubnetSelectorTerm{{Tags: map[string]string{"*": "*"}}}
	class.Status.SecurityGroups = []v1.SecurityGroup{{ID: "sg-1"}}
	class.Status.InstanceProfile = "profile"
	var offerings []ec2types.InstanceTypeOffering
	var spot []ec2types.SpotPrice
	var subnets []ec2types.Subnet
	for i, letter := range []string{"a", "b", "c", "d"} {
		zone, zoneID, id := region+letter, fmt.Sprintf("usw2-az%d", i+1), fmt.Sprintf("subnet-%d", i+1)
		subnets = append(subnets, ec2types.Subnet{SubnetId: &id, AvailabilityZone: &zone, AvailabilityZoneId: &zoneID, AvailableIpAddressCount: lo.ToPtr[int32](100_000)})
		class.Status.Subnets = append(class.Status.Subnets, v1.Subnet{ID: id, Zone: zone, ZoneID: zoneID})
		for _, info := range types {
			offerings = append(offerings, ec2types.InstanceTypeOffering{InstanceType: info.InstanceType, Location: &zone})
			if price, ok := pricing.InitialOnDemandPricesAWS["us-east-1"][info.InstanceType]; ok {
				spot = append(spot, ec2types.SpotPrice{InstanceType: info.InstanceType, AvailabilityZone: &zone, SpotPrice: lo.ToPtr(fmt.Sprint(price * 0.4)), Timestamp: lo.ToPtr(clock.RealClock{}.Now())})
			}
		}
	}
	api.DescribeInstanceTypeOfferingsOutput.Set(&ec2.DescribeInstanceTypeOfferingsOutput{InstanceTypeOfferings: offerings})
	api.DescribeSpotPriceHistoryBehavior.Output.Set(&ec2.DescribeSpotPriceHistoryOutput{SpotPriceHistory: spot})
	api.DescribeSubnetsBehavior.Output.Set(&ec2.DescribeSubnetsOutput{Subnets: subnets})
	for image, needs := range map[string][]corev1.NodeSelectorRequirement{
		"ami-amd64":  {is(corev1.LabelArchStable, "amd64"), lacks(v1.LabelInstanceGPUCount), lacks(v1.LabelInstanceAcceleratorCount)},
		"ami-arm64":  {is(corev1.LabelArchStable, "arm64"), lacks(v1.LabelInstanceGPUCount), lacks(v1.LabelInstanceAcceleratorCount)},
		"ami-nvidia": {is(corev1.LabelArchStable, "amd64"), has(v1.LabelInstanceGPUCount)},
		"ami-neuron": {is(corev1.LabelArchStable, "amd64"), has(v1.LabelInstanceAcceleratorCount)},
	} {
		class.Status.AMIs = append(class.Status.AMIs, v1.AMI{ID: image, Requirements: needs})
	}
	return class
}

func is(key, value string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}
}

func has(key string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpExists}
}

func lacks(key string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpDoesNotExist}
}

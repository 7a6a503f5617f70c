import { soldOutAnnotation } from '../../cloudprovider/sold-out.ts';
import { AWS_GROUP } from './ec2-node-class.ts';

/** Names of labels, annotations, tags and resources of the EC2 provider (aws-provider.md sections 8, 17, 21, 22). */
export const LABEL_NODE_CLASS = `${AWS_GROUP}/ec2nodeclass`;
export const LABEL_CAPACITY_RESERVATION_ID = `${AWS_GROUP}/capacity-reservation-id`;
export const LABEL_CAPACITY_RESERVATION_TYPE = `${AWS_GROUP}/capacity-reservation-type`;
export const LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE = `${AWS_GROUP}/capacity-reservation-interruptible`;
export const LABEL_INSTANCE_HYPERVISOR = `${AWS_GROUP}/instance-hypervisor`;
export const LABEL_INSTANCE_ENCRYPTION_IN_TRANSIT = `${AWS_GROUP}/instance-encryption-in-transit-supported`;
export const LABEL_INSTANCE_CATEGORY = `${AWS_GROUP}/instance-category`;
export const LABEL_INSTANCE_CAPABILITY_FLEX = `${AWS_GROUP}/instance-capability-flex`;
export const LABEL_INSTANCE_FAMILY = `${AWS_GROUP}/instance-family`;
export const LABEL_INSTANCE_GENERATION = `${AWS_GROUP}/instance-generation`;
export const LABEL_INSTANCE_LOCAL_NVME = `${AWS_GROUP}/instance-local-nvme`;
export const LABEL_INSTANCE_SIZE = `${AWS_GROUP}/instance-size`;
export const LABEL_INSTANCE_CPU = `${AWS_GROUP}/instance-cpu`;
export const LABEL_INSTANCE_CPU_MANUFACTURER = `${AWS_GROUP}/instance-cpu-manufacturer`;
export const LABEL_INSTANCE_CPU_CLOCK_SPEED = `${AWS_GROUP}/instance-cpu-sustained-clock-speed-mhz`;
export const LABEL_INSTANCE_MEMORY = `${AWS_GROUP}/instance-memory`;
export const LABEL_INSTANCE_EBS_BANDWIDTH = `${AWS_GROUP}/instance-ebs-bandwidth`;
export const LABEL_INSTANCE_NETWORK_BANDWIDTH = `${AWS_GROUP}/instance-network-bandwidth`;
export const LABEL_INSTANCE_GPU_NAME = `${AWS_GROUP}/instance-gpu-name`;
export const LABEL_INSTANCE_GPU_MANUFACTURER = `${AWS_GROUP}/instance-gpu-manufacturer`;
export const LABEL_INSTANCE_GPU_COUNT = `${AWS_GROUP}/instance-gpu-count`;
export const LABEL_INSTANCE_GPU_MEMORY = `${AWS_GROUP}/instance-gpu-memory`;
export const LABEL_INSTANCE_ACCELERATOR_NAME = `${AWS_GROUP}/instance-accelerator-name`;
export const LABEL_INSTANCE_ACCELERATOR_MANUFACTURER = `${AWS_GROUP}/instance-accelerator-manufacturer`;
export const LABEL_INSTANCE_ACCELERATOR_COUNT = `${AWS_GROUP}/instance-accelerator-count`;
export const LABEL_INSTANCE_TENANCY = `${AWS_GROUP}/instance-tenancy`;
export const LABEL_PLACEMENT_GROUP_ID = `${AWS_GROUP}/placement-group-id`;
export const LABEL_PLACEMENT_GROUP_PARTITION = `${AWS_GROUP}/placement-group-partition`;
export const LABEL_NITRO_SANDBOX = `${AWS_GROUP}/nitro-sandbox`;
export const LABEL_ZONE_ID = 'topology.k8s.aws/zone-id';
export const LABEL_WINDOWS_BUILD = 'node.kubernetes.io/windows-build';

export const RESOURCE_NVIDIA_GPU = 'nvidia.com/gpu';
export const RESOURCE_AMD_GPU = 'amd.com/gpu';
export const RESOURCE_NEURON = 'aws.amazon.com/neuron';
export const RESOURCE_NEURON_CORE = 'aws.amazon.com/neuroncore';
export const RESOURCE_GAUDI = 'habana.ai/gaudi';
export const RESOURCE_POD_ENI = 'vpc.amazonaws.com/pod-eni';
export const RESOURCE_PRIVATE_IPV4_ADDRESS = 'vpc.amazonaws.com/PrivateIPv4Address';
/** Asked for by pods that need an enclave: the name now, and that of v1.14.1. */
export const RESOURCES_OF_ENCLAVES = ['eks.amazonaws.com/nitro-sandbox', 'eks.amazonaws.com/nip-slots'];
export const RESOURCE_EFA = 'vpc.amazonaws.com/efa';

export const ANNOTATION_NODE_CLASS_HASH = `${AWS_GROUP}/ec2nodeclass-hash`;
export const ANNOTATION_NODE_CLASS_HASH_VERSION = `${AWS_GROUP}/ec2nodeclass-hash-version`;
export const ANNOTATION_INSTANCE_TAGGED = `${AWS_GROUP}/tagged`;
export const ANNOTATION_CLUSTER_NAME_TAGGED = 'compatibility.karpenter.k8s.aws/cluster-name-tagged';
export const ANNOTATION_INSTANCE_PROFILE = `${AWS_GROUP}/instance-profile-name`;
/** On an EC2NodeClass: what EC2 refused to sell a short time ago. Upstream has none. */
export const ANNOTATION_SOLD_OUT = soldOutAnnotation(AWS_GROUP);

export const TERMINATION_FINALIZER = `${AWS_GROUP}/termination`;

export const TAG_NAME = 'Name';
export const TAG_EKS_CLUSTER_NAME = 'eks:eks-cluster-name';
export const TAG_NODE_CLAIM = 'karpenter.sh/nodeclaim';
export const TAG_NODE_POOL = 'karpenter.sh/nodepool';
/** Of which the value is `owned`. */
export const tagOfCluster = (clusterName: string): string => `kubernetes.io/cluster/${clusterName}`;

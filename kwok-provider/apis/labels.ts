import { soldOutAnnotation } from '../../src/cloudprovider/sold-out.ts';
import { KWOK_GROUP } from './kwok-node-class.ts';

/** Labels under which nodes of the fake cloud can be selected. */
export const LABEL_INSTANCE_SIZE = `${KWOK_GROUP}/instance-size`;
export const LABEL_INSTANCE_FAMILY = `${KWOK_GROUP}/instance-family`;
export const LABEL_INSTANCE_CPU = `${KWOK_GROUP}/instance-cpu`;
export const LABEL_INSTANCE_MEMORY = `${KWOK_GROUP}/instance-memory`;

/** On a KWOKNodeClass. */
export const ANNOTATION_SOLD_OUT = soldOutAnnotation(KWOK_GROUP);

/**
 * A resource of nodes: volumes that can be attached beside the one that the machine starts from. Before CSI, kubelets on EC2
 * told it under this name.
 */
export const RESOURCE_VOLUMES = 'attachable-volumes-aws-ebs';

/** Label and annotation by which kwok, and our node agent, know the nodes they have to run. */
export const KWOK_NODE_KEY = 'kwok.x-k8s.io/node';
export const KWOK_NODE_VALUE = 'fake';
/** Read by eks-node-viewer. */
export const LABEL_NODE_VIEWER_PRICE = 'eks-node-viewer/instance-price';
export const LABEL_KWOK_PARTITION = 'kwok-partition';

export const KWOK_WELL_KNOWN_LABELS: readonly string[] = [
  LABEL_INSTANCE_SIZE,
  LABEL_INSTANCE_FAMILY,
  LABEL_INSTANCE_CPU,
  LABEL_INSTANCE_MEMORY,
];

import type { AccessRule } from '../kube/access-rule.ts';
import { AWS_GROUP, Ec2NodeClasses } from './apis/ec2-node-class.ts';

/** What the EC2 provider does in the cluster beyond what the controller may do anyway. */
export const AWS_ACCESS: readonly AccessRule[] = [
  {
    group: AWS_GROUP,
    resources: [Ec2NodeClasses.plural],
    verbs: ['get', 'list', 'watch'],
    why: 'pools and claims name a node class: what is launched with it, and whether it is ready',
  },
  {
    group: AWS_GROUP,
    resources: [Ec2NodeClasses.plural],
    verbs: ['patch', 'update'],
    why: 'finalizer, and annotations: the hash of the class, and what is sold out',
  },
  {
    group: AWS_GROUP,
    resources: [`${Ec2NodeClasses.plural}/status`],
    verbs: ['patch', 'update'],
    why: 'conditions, and the subnets, groups, images and profile that the class selects',
  },
  {
    group: '',
    resources: ['services'],
    verbs: ['get'],
    names: ['kube-dns'],
    why: "the address of the cluster's DNS, which kubelets are told",
  },
];

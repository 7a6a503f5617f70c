import type { AccessRule } from '../src/kube/access-rule.ts';
import { KWOK_GROUP, KwokNodeClasses } from './apis/kwok-node-class.ts';

/** What the fake cloud does in the cluster beyond what the controller may do anyway. */
export const KWOK_ACCESS: readonly AccessRule[] = [
  {
    group: KWOK_GROUP,
    resources: [KwokNodeClasses.plural],
    verbs: ['get', 'list', 'watch'],
    why: 'pools and claims name a node class: whether it is ready, and how long its nodes take to come',
  },
  {
    group: KWOK_GROUP,
    resources: [KwokNodeClasses.plural],
    verbs: ['patch'],
    why: 'what an interruption takes away counts as sold out for a while, which the node class says',
  },
  { group: '', resources: ['nodes'], verbs: ['create'], why: 'an instance of the fake cloud is a Node' },
];

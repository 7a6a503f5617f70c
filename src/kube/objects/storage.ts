/** Claims, volumes and what serves them. */
import type { ResourceList, ResourceRequirements } from './amounts.ts';
import type { KubeObject, LabelSelector } from './metadata.ts';
import type { NodeSelectorTerm } from './placement.ts';

export interface PersistentVolumeClaimSpec {
  readonly accessModes?: readonly string[];
  readonly resources?: ResourceRequirements;
  readonly storageClassName?: string;
  readonly volumeName?: string;
  readonly volumeMode?: string;
  readonly selector?: LabelSelector;
}

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec: PersistentVolumeClaimSpec;
  readonly status?: {
    readonly phase?: string;
    readonly capacity?: ResourceList;
    readonly accessModes?: readonly string[];
  };
}

export interface PersistentVolume extends KubeObject {
  readonly spec: {
    readonly capacity?: ResourceList;
    readonly accessModes?: readonly string[];
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly persistentVolumeReclaimPolicy?: string;
    readonly claimRef?: {
      readonly namespace?: string;
      readonly name?: string;
      readonly uid?: string;
      readonly [k: string]: unknown;
    };
    readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] } };
    readonly csi?: { readonly driver: string; readonly volumeHandle?: string; readonly [k: string]: unknown };
    readonly local?: unknown;
    readonly hostPath?: unknown;
    readonly awsElasticBlockStore?: unknown;
  };
  readonly status?: { readonly phase?: string };
}

export interface StorageClass extends KubeObject {
  readonly provisioner: string;
  readonly volumeBindingMode?: string;
  readonly reclaimPolicy?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
  }[];
}

export interface CSINode extends KubeObject {
  readonly spec: {
    readonly drivers?: readonly {
      readonly name: string;
      readonly nodeID?: string;
      readonly topologyKeys?: readonly string[];
      readonly allocatable?: { readonly count?: number };
    }[];
  };
}

export interface VolumeAttachment extends KubeObject {
  readonly spec: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string };
  };
  readonly status?: { readonly attached?: boolean };
}

import type { ResourceDefinition } from './resource-definition.ts';

/** Who asks. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** One request to a resource, however it came. */
export interface ResourceRequest {
  readonly resource: ResourceDefinition;
  /** Empty for cluster-wide resources, and for all namespaces. */
  readonly namespace: string;
  /** Empty for the collection. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly user: UserInfo;
  /** Tells the client something without refusing. */
  readonly warn: (text: string) => void;
}

export interface WriteRequest extends ResourceRequest {
  /** The name that metadata.managedFields gets. */
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  readonly dryRun: boolean;
  /** Bytes of the body, where there was one. */
  readonly size?: number;
  /**
   * Adds to a body's unknown fields what only its text tells: keys given twice. `strict` is how a refusal lists them,
   * `lenient` what each is as a warning.
   */
  readonly faults?: (unknown: readonly string[]) => BodyFaults;
  /** Whole numbers that the body's text writes with a fraction, by their path. */
  readonly floats?: ReadonlyMap<string, number>;
}

export interface BodyFaults {
  readonly lenient: readonly string[];
  readonly strict: readonly string[];
}

import { ConditionSet, type ConditionTypes } from '../../../apis/conditions.ts';
import type { ReconcileResult } from '../../../kube/controller.ts';
import type { EC2NodeClass, EC2NodeClassStatus } from '../../apis/ec2-node-class.ts';

type Findings = Omit<EC2NodeClassStatus, 'conditions'>;

/** A class while its parts are looked up one after the other; the object itself is not touched. */
export class NodeClassDraft {
  readonly conditions: ConditionSet;
  readonly #stored: EC2NodeClass;
  #findings: Findings;

  /** @param now epoch milliseconds. */
  constructor(nodeClass: EC2NodeClass, types: ConditionTypes, now: number) {
    const { conditions: _, ...findings } = nodeClass.status ?? {};
    this.#stored = nodeClass;
    this.#findings = findings;
    this.conditions = new ConditionSet(nodeClass, types, now);
  }

  /** The class with what was found so far. */
  get nodeClass(): EC2NodeClass {
    return { ...this.#stored, status: { ...this.#findings, conditions: this.conditions.conditions } };
  }

  set<K extends keyof Findings>(field: K, value: Findings[K]): void {
    const { [field]: _, ...others } = this.#findings;
    this.#findings = value === undefined ? others : { ...others, [field]: value };
  }
}

/** One part of the work on a class (aws-provider.md section 6). What it found before it rejects is kept. */
export interface NodeClassReconciler {
  reconcile(draft: NodeClassDraft, signal: AbortSignal): Promise<ReconcileResult | undefined>;
}

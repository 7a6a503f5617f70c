import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import type { KubeletExpressions } from '../../../kubelet/expressions.ts';
import { isQuantity, type KubeletSettings, kubeletSettings } from '../../../kubelet/kubelet-settings.ts';
import { hasExpressions } from '../../../kubelet/resolve-kubelet.ts';
import { withFacts } from '../../../kubelet/with-facts.ts';
import { type InstanceTypeProvider, InstanceTypesUnknownError } from '../../../providers/contracts.ts';

/** Why a class's kubelet configuration can't be used: reason and message of its condition. */
export interface KubeletFault {
  readonly reason: string;
  readonly message: string;
  /** What the controller's log says then; without it, the condition says enough. */
  readonly failure?: string;
}

export interface KubeletChecksDeps {
  readonly instanceTypes: Pick<InstanceTypeProvider, 'tryKubeletExpressions'>;
  /** Undefined while the feature gate NodeClassCEL is off. */
  readonly expressions: KubeletExpressions | undefined;
}

/** Looks through `spec.kubelet`, which the API takes whatever is in it (aws-provider.md section 7, steps 2 to 5 and 7). */
export class KubeletChecks {
  readonly #deps: KubeletChecksDeps;

  constructor(deps: KubeletChecksDeps) {
    this.#deps = deps;
  }

  /** What is wrong whatever the instance type. */
  fault(nodeClass: EC2NodeClass): KubeletFault | undefined {
    const settings = kubeletSettings(nodeClass);
    if (!hasExpressions(settings)) return undefined;
    if (this.#deps.expressions) return uncompilable(settings, this.#deps.expressions);
    return {
      reason: 'KubeletExpressionsDisabled',
      message: 'spec.kubelet contains a CEL expression, but the NodeClassCEL feature gate is disabled',
      failure: 'kubelet expressions are disabled',
    };
  }

  /** What is wrong with an expression for some instance type. */
  trial(nodeClass: EC2NodeClass): KubeletFault | 'too early' | undefined {
    if (!hasExpressions(kubeletSettings(nodeClass))) return undefined;
    try {
      this.#deps.instanceTypes.tryKubeletExpressions(nodeClass);
      return undefined;
    } catch (error) {
      if (error instanceof InstanceTypesUnknownError) return 'too early';
      const message = messageOf(error);
      const failure = `evaluating kubelet expressions, ${message}`;
      return { reason: 'KubeletExpressionEvaluationFailed', message, failure };
    }
  }
}

function uncompilable(settings: KubeletSettings, expressions: KubeletExpressions): KubeletFault | undefined {
  for (const [field, text] of expressionsOf(settings)) {
    try {
      expressions.compile(text);
    } catch (error) {
      const message = withFacts(`validating expression, ${messageOf(error)}`, { field });
      const failure = `validating kubelet expressions, ${message}`;
      return { reason: 'KubeletExpressionInvalid', message, failure };
    }
  }
  return undefined;
}

/** Each with the field that it is in. */
function* expressionsOf(settings: KubeletSettings): Generator<readonly [field: string, text: string]> {
  if (typeof settings.maxPods === 'string') yield ['spec.kubelet.maxPods', settings.maxPods];
  for (const field of ['kubeReserved', 'systemReserved'] as const) {
    for (const [resource, text] of Object.entries(settings[field] ?? {})) {
      if (!isQuantity(text)) yield [`spec.kubelet.${field}[${resource}]`, text];
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

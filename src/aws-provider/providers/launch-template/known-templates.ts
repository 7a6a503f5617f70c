import type { CreateLaunchTemplateRequest } from '@aws-sdk/client-ec2';
import type { Logger } from '../../../logging/logger.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { TemplateOrder } from './resolve-templates.ts';
import type { ResolvedTemplate } from './resolved-template.ts';

/** A template as it is to be made. */
export interface KnownTemplate {
  readonly template: ResolvedTemplate;
  /** In EC2's words, with the name that its content gives it. */
  readonly request: CreateLaunchTemplateRequest;
  /** What there is to say of the user's own user data, when the template is made. */
  readonly complaints: readonly Parameters<Logger['error']>[];
}

/** Kinds of claims that are remembered for one list of types. */
const MAX_KINDS = 100;

/** The templates of claims that are alike, worked out once: to render user data and to name templates by it takes time. */
export class KnownTemplates {
  readonly #known = new WeakMap<
    readonly InstanceType[],
    WeakMap<EC2NodeClass, Map<string, readonly KnownTemplate[]>>
  >();

  of(order: TemplateOrder, resolve: () => readonly KnownTemplate[]): readonly KnownTemplate[] {
    const known = this.#ofClass(order);
    const kind = kindOf(order);
    let templates = known.get(kind);
    if (!templates) {
      templates = resolve();
      if (known.size >= MAX_KINDS) known.clear();
      known.set(kind, templates);
    }
    return templates;
  }

  #ofClass({ instanceTypes, nodeClass }: TemplateOrder): Map<string, readonly KnownTemplate[]> {
    const byClass =
      this.#known.get(instanceTypes) ?? new WeakMap<EC2NodeClass, Map<string, readonly KnownTemplate[]>>();
    this.#known.set(instanceTypes, byClass);
    const known = byClass.get(nodeClass) ?? new Map<string, readonly KnownTemplate[]>();
    byClass.set(nodeClass, known);
    return known;
  }
}

/** All that templates follow from, but for the class and the types. */
function kindOf({ nodeClaim, nodeClass: _, instanceTypes: __, ...others }: TemplateOrder): string {
  const { labels } = nodeClaim.metadata;
  const { taints, startupTaints, resources } = nodeClaim.spec;
  return JSON.stringify([others, labels, taints, startupTaints, Object.keys(resources?.requests ?? {})]);
}

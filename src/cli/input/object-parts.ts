import { asObject, asObjects } from '../../apiserver/json.ts';
import type { FieldError, JsonObject } from '../../apiserver/kind.ts';
import { validateResources } from '../../apiserver/validation/pods/resources.ts';
import { validateAffinity, validateSpread, validateTolerations } from '../../apiserver/validation/pods/scheduling.ts';
import { validateLabelSelector, validateNodeSelector } from '../../apiserver/validation/selectors.ts';

type Check = (object: JsonObject) => readonly FieldError[];

/** What the API would refuse in the parts of built-in kinds that decide about nodes. */
const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['Pod', ({ spec }) => podBreaches('spec', asObject(spec))],
  ['PodTemplate', ({ template }) => podBreaches('template.spec', asObject(asObject(template).spec))],
  ...['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'].map((kind): [string, Check] => [
    kind,
    ({ spec }) => podBreaches('spec.template.spec', asObject(asObject(asObject(spec).template).spec)),
  ]),
  ['PodDisruptionBudget', ({ spec }) => validateLabelSelector('spec.selector', asObject(spec).selector)],
  [
    'PersistentVolume',
    ({ spec }) => {
      const { required } = asObject(asObject(spec).nodeAffinity);
      return required === undefined ? [] : validateNodeSelector('spec.nodeAffinity.required', asObject(required));
    },
  ],
]);

/** For an object that no API has checked yet. */
export function ruleBreaches(kind: string, object: JsonObject): readonly FieldError[] {
  return CHECKS.get(kind)?.(object) ?? [];
}

/** Whether all else fits together is not for the packer to say. */
function isAboutAmounts({ field, type }: FieldError): boolean {
  return type === 'FieldValueInvalid' && /(requests|limits)\[/.test(field);
}

function podBreaches(path: string, spec: JsonObject): readonly FieldError[] {
  return [
    ...['initContainers', 'containers'].flatMap((list) =>
      asObjects(spec[list]).flatMap(({ resources }, i) =>
        validateResources(`${path}.${list}[${i}].resources`, asObject(resources), new Set()).filter(isAboutAmounts),
      ),
    ),
    ...validateAffinity(`${path}.affinity`, spec.affinity),
    ...validateTolerations(`${path}.tolerations`, asObjects(spec.tolerations)),
    ...validateSpread(`${path}.topologySpreadConstraints`, asObjects(spec.topologySpreadConstraints)),
  ];
}

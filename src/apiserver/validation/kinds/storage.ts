import { asArray, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { bytes, dns1123Subdomain, qualifiedName, tooManyCharacters } from '../names.ts';
import { nonNegative } from '../numbers.ts';
import { immutable } from '../object-meta.ts';
import type { Particulars } from './kind-rules.ts';
import { validateDriverName } from './volumes.ts';

/** StorageClasses, CSIDrivers, CSINodes (pkg/apis/storage/validation). */

const validateTopologies = (object: JsonObject): readonly FieldError[] =>
  asObjects(object.allowedTopologies).flatMap((term, position) =>
    asObjects(term.matchLabelExpressions).flatMap(({ key, values }, at) => {
      const path = `allowedTopologies[${position}].matchLabelExpressions[${at}]`;
      const texts = asArray(values).map(asString);
      return [
        ...(texts.length === 0 ? [field.required(`${path}.values`)] : []),
        ...texts.flatMap((text, index) =>
          texts.indexOf(text) < index ? [field.duplicate(`${path}.values[${index}]`, text)] : [],
        ),
        ...qualifiedName(asString(key)).map((words) => field.invalid(`${path}.key`, asString(key), words)),
      ];
    }),
  );

const BINDING = ['Immediate', 'WaitForFirstConsumer'];

export const storageClass: Particulars = {
  create: (object) => {
    const provisioner = asString(object.provisioner);
    const { reclaimPolicy: policy, volumeBindingMode: mode } = object;
    return [
      ...(provisioner === ''
        ? [field.required('provisioner')]
        : qualifiedName(provisioner.toLowerCase()).map((words) =>
            field.invalid('provisioner', provisioner.toLowerCase(), words),
          )),
      ...('' in asObject(object.parameters) ? [field.invalid('parameters', '', 'field can not be empty.')] : []),
      ...(policy === undefined || policy === 'Delete' || policy === 'Retain'
        ? []
        : [field.notSupported('reclaimPolicy', policy, ['Delete', 'Retain'])]),
      ...(mode === undefined ? [field.required('volumeBindingMode')] : []),
      ...(mode === undefined || BINDING.includes(asString(mode))
        ? []
        : [field.notSupported('volumeBindingMode', mode, BINDING)]),
      ...validateTopologies(object),
    ];
  },
  update: (object, old) => [
    ...(storageClass.create?.(object) ?? []),
    ...immutable('parameters', object.parameters, old.parameters),
    ...['provisioner', 'reclaimPolicy', 'volumeBindingMode'].flatMap((name) =>
      immutable(name, object[name], old[name]),
    ),
  ],
};

const MODES = ['Persistent', 'Ephemeral'];

const validateDriver = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  const modes = asArray(spec.volumeLifecycleModes).map(asString);
  const policies = ['File', 'None', 'ReadWriteOnceWithFSType'];
  const { fsGroupPolicy: policy } = spec;
  return [
    ...(policy === undefined || policies.includes(asString(policy))
      ? []
      : [field.notSupported('spec.fsGroupPolicy', policy, policies)]),
    ...modes
      .filter((mode) => !MODES.includes(mode))
      .map((mode) => field.notSupported('spec.volumeLifecycleModes', mode, MODES)),
  ];
};

export const csiDriver: Particulars = {
  name: (name) => {
    const long = bytes(name) > 63 ? [tooManyCharacters(63)] : [];
    return [...long, ...dns1123Subdomain(name.toLowerCase())];
  },
  create: validateDriver,
  update: (object, old) => {
    const [spec, before] = [asObject(object.spec), asObject(old.spec)];
    return [
      ...validateDriver(object),
      ...immutable('spec.attachedRequired', spec.attachRequired, before.attachRequired),
      ...immutable('spec.volumeLifecycleModes', spec.volumeLifecycleModes, before.volumeLifecycleModes),
    ];
  },
};

const driversOf = (object: JsonObject): readonly JsonObject[] => asObjects(asObject(object.spec).drivers);

const validateNodeDrivers = (object: JsonObject): readonly FieldError[] => {
  const seen = new Set<string>();
  return driversOf(object).flatMap((driver, at) => {
    const path = `spec.drivers[${at}]`;
    const name = asString(driver.name);
    const repeated = seen.has(name) ? [field.duplicate(`${path}.name`, name)] : [];
    seen.add(name);
    const id = asString(driver.nodeID);
    return [
      ...validateDriverName(`${path}.name`, name),
      ...(id === '' ? [field.required(`${path}.nodeID`)] : []),
      ...(bytes(id) > 192 ? [field.invalid(`${path}.nodeID`, id, 'must be 192 characters or less')] : []),
      ...nonNegative(`${path}.allocatable.count`, asObject(driver.allocatable).count),
      ...repeated,
      ...asArray(driver.topologyKeys).flatMap((key) =>
        qualifiedName(asString(key)).map((words) => field.invalid(path, key, words)),
      ),
    ];
  });
};

export const csiNode: Particulars = {
  create: validateNodeDrivers,
  update: (object, old) => [
    ...validateNodeDrivers(object),
    ...driversOf(old).flatMap((before) =>
      driversOf(object)
        .filter(({ name }) => name === before.name)
        .flatMap(({ allocatable: _now, ...driver }) => {
          const { allocatable: _before, ...rest } = before;
          return immutable('spec.drivers', driver, rest);
        }),
    ),
  ],
};

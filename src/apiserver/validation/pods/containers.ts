import { asNumber, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { dns1123Label, portName, portNumber } from '../names.ts';
import { oneOf } from '../numbers.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { validateHooks } from './probes.ts';
import { validateResources } from './resources.ts';
import { validateContainerSecurity } from './security.ts';

/** What containers may refer to in their pod. */
export interface PodContext {
  readonly volumes: ReadonlyMap<string, JsonObject>;
  readonly claims: ReadonlySet<string>;
  readonly restartPolicy: string;
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const validatePorts = (path: string, container: JsonObject): readonly FieldError[] => {
  const names = new Set<string>();
  return asObjects(container.ports).flatMap((port, position) => {
    const at = field.index(path, position);
    const errors: FieldError[] = [];
    const name = asString(port.name);
    const namePath = field.child(at, 'name');
    if (name !== '') {
      const complaints = portName(name);
      for (const words of complaints) errors.push(field.invalid(namePath, name, words));
      if (complaints.length === 0 && names.has(name)) errors.push(field.duplicate(namePath, name));
      names.add(name);
    }
    const number = asNumber(port.containerPort);
    const numberPath = field.child(at, 'containerPort');
    if (number === 0) errors.push(field.required(numberPath));
    else for (const words of portNumber(number)) errors.push(field.invalid(numberPath, number, words));
    const hostPort = asNumber(port.hostPort);
    if (hostPort !== 0) {
      for (const words of portNumber(hostPort))
        errors.push(field.invalid(field.child(at, 'hostPort'), hostPort, words));
    }
    return [...errors, ...oneOf(field.child(at, 'protocol'), port.protocol, PROTOCOLS)];
  });
};

const parentFolder = (path: string, value: string): readonly FieldError[] => {
  const errors: FieldError[] = [];
  if (value.startsWith('/')) errors.push(field.invalid(path, value, 'must be a relative path'));
  if (value.split('/').includes('..')) errors.push(field.invalid(path, value, "must not contain '..'"));
  return errors;
};

const validateMounts = (path: string, container: JsonObject, context: PodContext): readonly FieldError[] => {
  const devices = asObjects(container.volumeDevices);
  const places = new Set<string>();
  return asObjects(container.volumeMounts).flatMap((mount, position) => {
    const at = field.index(path, position);
    const [name, mountPath, subPath] = [asString(mount.name), asString(mount.mountPath), asString(mount.subPath)];
    const errors: FieldError[] = [];
    if (name === '') errors.push(field.required(field.child(at, 'name')));
    if (!context.volumes.has(name)) errors.push(field.notFound(field.child(at, 'name'), name));
    if (mountPath === '') errors.push(field.required(field.child(at, 'mountPath')));
    if (places.has(mountPath)) errors.push(field.invalid(field.child(at, 'mountPath'), mountPath, 'must be unique'));
    places.add(mountPath);
    if (devices.some((device) => device.name === name)) {
      errors.push(field.invalid(field.child(at, 'name'), name, 'must not already exist in volumeDevices'));
    }
    if (devices.some((device) => device.devicePath === mountPath)) {
      const words = 'must not already exist as a path in volumeDevices';
      errors.push(field.invalid(field.child(at, 'mountPath'), mountPath, words));
    }
    if (subPath !== '') errors.push(...parentFolder(field.child(path, 'subPath'), subPath));
    return errors;
  });
};

const RESIZABLE = ['cpu', 'memory'];

const validateResizePolicy = (path: string, container: JsonObject, context: PodContext): readonly FieldError[] => {
  const seen = new Set<string>();
  return asObjects(container.resizePolicy).flatMap((policy, position) => {
    const name = asString(policy.resourceName);
    const errors: FieldError[] = [];
    if (seen.has(name)) errors.push(field.duplicate(field.index(path, position), name));
    seen.add(name);
    errors.push(
      ...oneOf(path, name, RESIZABLE),
      ...oneOf(path, policy.restartPolicy, ['NotRequired', 'RestartContainer']),
    );
    if (context.restartPolicy === 'Never' && policy.restartPolicy !== 'NotRequired') {
      const words = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      errors.push(field.invalid(path, policy.restartPolicy, words));
    }
    return errors;
  });
};

const validateCommon = (path: string, container: JsonObject, context: PodContext): readonly FieldError[] => {
  const name = asString(container.name);
  const namePath = field.child(path, 'name');
  const message = field.child(path, 'terminationMessagePolicy');
  return [
    ...(name === ''
      ? [field.required(namePath)]
      : dns1123Label(name).map((words) => field.invalid(namePath, name, words))),
    ...(asString(container.image) === '' ? [field.required(field.child(path, 'image'))] : []),
    ...oneOf(message, container.terminationMessagePolicy, ['File', 'FallbackToLogsOnError']),
    ...validatePorts(field.child(path, 'ports'), container),
    ...validateEnv(field.child(path, 'env'), container),
    ...validateEnvFrom(field.child(path, 'envFrom'), container),
    ...validateMounts(field.child(path, 'volumeMounts'), container, context),
    ...oneOf(field.child(path, 'imagePullPolicy'), container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']),
    ...validateResources(field.child(path, 'resources'), asObject(container.resources), context.claims),
    ...validateResizePolicy(field.child(path, 'resizePolicy'), container, context),
    ...validateContainerSecurity(field.child(path, 'securityContext'), container.securityContext),
  ];
};

const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];

const validateRestartPolicy = (path: string, container: JsonObject): readonly FieldError[] => {
  const { restartPolicy } = container;
  if (restartPolicy === undefined || RESTART_POLICIES.includes(asString(restartPolicy))) return [];
  return [field.notSupported(field.child(path, 'restartPolicy'), restartPolicy, RESTART_POLICIES)];
};

/** Ports of the node that two containers of one pod want. */
const hostPortConflicts = (path: string, containers: readonly JsonObject[]): readonly FieldError[] => {
  const taken = new Set<string>();
  return containers.flatMap((container, position) =>
    asObjects(container.ports).flatMap((port, at) => {
      const number = asNumber(port.hostPort);
      if (number === 0) return [];
      const id = `${asString(port.protocol)}/${asString(port.hostIP)}/${number}`;
      const own = `${field.index(path, position)}.ports[${at}].hostPort`;
      if (taken.has(id)) return [field.duplicate(own, id)];
      taken.add(id);
      return [];
    }),
  );
};

export const validateContainers = (
  path: string,
  containers: readonly JsonObject[],
  context: PodContext,
): readonly FieldError[] => {
  if (containers.length === 0) return [field.required(path)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, position) => {
    const at = field.index(path, position);
    const name = asString(container.name);
    const repeated = names.has(name) ? [field.duplicate(field.child(at, 'name'), name)] : [];
    names.add(name);
    return [
      ...validateCommon(at, container, context),
      ...repeated,
      ...validateHooks(at, container),
      ...validateRestartPolicy(at, container),
    ];
  });
  return [...errors, ...hostPortConflicts(path, containers)];
};

const HOOKS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

export const validateInitContainers = (
  path: string,
  containers: readonly JsonObject[],
  regular: readonly JsonObject[],
  context: PodContext,
): readonly FieldError[] => {
  const names = new Set(regular.map(({ name }) => asString(name)));
  return containers.flatMap((container, position) => {
    const at = field.index(path, position);
    const name = asString(container.name);
    const repeated = names.has(name) ? [field.duplicate(field.child(at, 'name'), name)] : [];
    if (name !== '') names.add(name);
    const words = 'may not be set for init containers without restartPolicy=Always';
    const hooks =
      container.restartPolicy === 'Always'
        ? validateHooks(at, container)
        : HOOKS.filter((hook) => container[hook] !== undefined).map((hook) =>
            field.forbidden(field.child(at, hook), words),
          );
    return [...validateCommon(at, container, context), ...validateRestartPolicy(at, container), ...repeated, ...hooks];
  });
};

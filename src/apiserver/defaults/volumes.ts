import { downwardItems } from './containers.ts';
import { type Completion, chain, each, fill, within, withinPresent } from './fill.ts';

const MODE = 0o644;

const projectedSource: Completion = chain(
  (source) => withinPresent(source, 'downwardAPI', downwardItems),
  (source) => withinPresent(source, 'serviceAccountToken', (token) => fill(token, { expirationSeconds: 3600 })),
);

const SOURCES: Readonly<Record<string, Completion>> = {
  configMap: (source) => fill(source, { defaultMode: MODE }),
  secret: (source) => fill(source, { defaultMode: MODE }),
  downwardAPI: (source) => downwardItems(fill(source, { defaultMode: MODE })),
  projected: (source) => each(fill(source, { defaultMode: MODE }), 'sources', projectedSource),
  hostPath: (source) => fill(source, { type: '' }),
  iscsi: (source) => fill(source, { iscsiInterface: 'default' }),
  rbd: (source) => fill(source, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  azureDisk: (source) => fill(source, { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false }),
  ephemeral: (source) =>
    withinPresent(source, 'volumeClaimTemplate', (template) =>
      within(template, 'spec', (spec) => fill(spec, { volumeMode: 'Filesystem' })),
    ),
};

/** A volume without a source is an empty directory. */
export const completeVolume: Completion = (volume) => {
  const sources = Object.keys(volume).filter((name) => name !== 'name' && volume[name] !== undefined);
  if (sources.length === 0) return { ...volume, emptyDir: {} };
  return sources.reduce((done, name) => {
    const complete = SOURCES[name];
    return complete === undefined ? done : withinPresent(done, name, complete);
  }, volume);
};

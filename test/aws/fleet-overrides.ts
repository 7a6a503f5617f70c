import type { CreateFleetRequest } from '@aws-sdk/client-ec2';

/** `type zone` of everything that a fleet may be launched from, in the order of the request. */
export const toOverrides = (fleet: CreateFleetRequest | undefined): readonly string[] =>
  (fleet?.LaunchTemplateConfigs ?? []).flatMap(({ Overrides = [] }) =>
    Overrides.map(({ InstanceType, AvailabilityZone }) => `${InstanceType} ${AvailabilityZone}`),
  );

import type { Ec2Api } from '../../../src/aws-provider/aws-api/apis.ts';
import { awsError, dryRunSuccess } from '../scripted-api.ts';
import type { FakeCloud, FakeLaunchTemplate } from './cloud.ts';
import { fromTags, passes, tagsFor, toTags } from './filters.ts';
import { pageOf } from './paging.ts';

type TemplateCalls = Pick<Ec2Api, 'describeLaunchTemplates' | 'createLaunchTemplate' | 'deleteLaunchTemplate'>;

const MAX_USER_DATA_BYTES = 16_384;

export function templateCalls(cloud: FakeCloud): TemplateCalls {
  const named = (name: string): FakeLaunchTemplate => {
    const found = cloud.launchTemplates.get(name);
    if (found) return found;
    throw awsError(
      'InvalidLaunchTemplateName.NotFoundException',
      `At least one of the launch templates specified in the request does not exist: ${name}`,
    );
  };
  return {
    describeLaunchTemplates: async (input) => {
      const names = input.LaunchTemplateNames ?? [];
      const all = names.length > 0 ? names.map(named) : [...cloud.launchTemplates.values()];
      const found = all
        .map(({ template }) => template)
        .filter(({ LaunchTemplateName, Tags }) =>
          passes(input.Filters, { 'launch-template-name': [LaunchTemplateName] }, fromTags(Tags)),
        );
      const { items, ...next } = pageOf(found, input, cloud.pageLimit);
      return { LaunchTemplates: items, ...next };
    },
    createLaunchTemplate: async (input) => {
      const name = input.LaunchTemplateName ?? '';
      const data = input.LaunchTemplateData ?? {};
      if (Buffer.from(data.UserData ?? '', 'base64').length > MAX_USER_DATA_BYTES) {
        throw awsError('InvalidUserData.Malformed', `User data is limited to ${MAX_USER_DATA_BYTES} bytes`);
      }
      if (cloud.launchTemplates.has(name)) {
        throw awsError('InvalidLaunchTemplateName.AlreadyExistsException', 'Launch template name already in use.');
      }
      if (input.DryRun) throw dryRunSuccess();
      const template = {
        LaunchTemplateId: cloud.newId('lt'),
        LaunchTemplateName: name,
        CreateTime: new Date(cloud.clock.now()),
        Tags: toTags(tagsFor(input.TagSpecifications, 'launch-template')),
      };
      cloud.launchTemplates.set(name, { template, data });
      return { LaunchTemplate: template };
    },
    deleteLaunchTemplate: async ({ LaunchTemplateId: id, LaunchTemplateName: name, DryRun }) => {
      if (DryRun) throw dryRunSuccess();
      if (name !== undefined) {
        const { template } = named(name);
        cloud.launchTemplates.delete(name);
        return { LaunchTemplate: template };
      }
      const found = [...cloud.launchTemplates.values()].find(({ template }) => template.LaunchTemplateId === id);
      if (!found) throw awsError('InvalidLaunchTemplateId.NotFound', `The launch template ${id} does not exist.`);
      cloud.launchTemplates.delete(found.template.LaunchTemplateName ?? '');
      return { LaunchTemplate: found.template };
    },
  };
}

import type { Edit } from './edit.ts';
import { type EditContext, poolEdit } from './edit-context.ts';

/** Asks for less variety, a little at a time: the first that helps is the smallest change. */
export function lowerMinValues(context: EditContext): Edit[] {
  const { requirements } = context.pool.spec.template.spec;
  return requirements.flatMap(({ minValues = 0, key }, i) =>
    Array.from({ length: Math.max(minValues - 1, 0) }, (_, n) => minValues - 1 - n).map((fewer): Edit => {
      const path = `spec.template.spec.requirements[${i}].minValues`;
      const edit = poolEdit(context, path, String(minValues), String(fewer), (pool) => {
        const { template } = pool.spec;
        const changed = template.spec.requirements.map((own) => (own.key === key ? { ...own, minValues: fewer } : own));
        return {
          ...pool,
          spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements: changed } } },
        };
      });
      return { ...edit, family: `minValues ${key}` };
    }),
  );
}

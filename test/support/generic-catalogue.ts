import { kwokCatalogue } from '../../commands/kwok-catalogue.ts';

const built = await kwokCatalogue();

/** The built-in instance types and their rules. */
export const genericCatalogue = () => built;

export { defaultAdmission } from './default-admission.ts';

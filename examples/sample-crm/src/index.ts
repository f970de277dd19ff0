export type { Company } from './companies.ts'
export type { Contact } from './contact.ts'
export type { Field } from './fields.ts'
export { type SampleCrm, type SampleCrmCounters, type SampleCrmOptions, startSampleCrm } from './start-sample-crm.ts'

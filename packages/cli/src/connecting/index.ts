export { connectHere } from './connect-here.ts'
export { metadataFields, schemesOf } from './credential-fields.ts'
export { gatherValues } from './gather-values.ts'
export { connectWithPage } from './with-page.ts'

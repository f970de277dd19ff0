export { collectValues } from './collect-values.ts'
export { connectHere } from './connect-here.ts'
export { metadataFields, schemesOf } from './credential-fields.ts'
export { connectWithPage } from './with-page.ts'

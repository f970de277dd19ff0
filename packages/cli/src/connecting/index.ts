export { connectHere } from './connect-here.ts'
export {
  credentialBlock,
  credentialFields,
  metadataFields,
  type Scheme,
  schemesOf,
} from './credential-fields.ts'
export { gatherValues } from './gather-values.ts'
export { connectWithPage } from './with-page.ts'

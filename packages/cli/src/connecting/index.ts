export {
  credentialBlock,
  credentialFields,
  metadataFields,
  type Scheme,
  schemesOf,
} from './credential-fields.ts'
export { gatherValues } from './gather-values.ts'
export { connectWithBrowser } from './with-browser.ts'

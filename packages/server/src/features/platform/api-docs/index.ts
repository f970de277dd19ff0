import { getDocument } from './endpoints/get-document.ts'
import { getDocumentOfFolder } from './endpoints/get-document-of-folder.ts'
import { getGuide } from './endpoints/get-guide.ts'
import { getLlmsText } from './endpoints/get-llms-text.ts'
import { getProblemPage } from './endpoints/get-problem-page.ts'
import { getProviderPage } from './endpoints/get-provider-page.ts'
import { getReference } from './endpoints/get-reference.ts'
import { getReferencePage } from './endpoints/get-reference-page.ts'
import { getReferenceScript } from './endpoints/get-reference-script.ts'
import { getSchema } from './endpoints/get-schema.ts'
import { openFrontPage } from './endpoints/open-front-page.ts'

export { referenceDocument } from './document.ts'
export {
  type Chapter,
  chaptersOf,
  type Entry,
  type OpenApiView,
  type ResponseView,
  referredName,
  resolvedAnswer,
  type SchemaView,
} from './openapi-view.ts'
export { type Resource, resources } from './resources.ts'

export const referenceEndpoints = [
  openFrontPage,
  getReference,
  getReferencePage,
  getReferenceScript,
  getProviderPage,
  getGuide,
  getDocument,
  getDocumentOfFolder,
  getLlmsText,
  getProblemPage,
  getSchema,
]

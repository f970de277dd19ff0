import { getProblemPage } from './operations/get-problem-page.ts'
import { getProviderPage } from './operations/get-provider-page.ts'
import { getReference } from './operations/get-reference.ts'
import { getReferencePage } from './operations/get-reference-page.ts'
import { getSchema } from './operations/get-schema.ts'
import { openFrontPage } from './operations/open-front-page.ts'

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

export const referenceOperations = [
  openFrontPage,
  getReference,
  getReferencePage,
  getProviderPage,
  getProblemPage,
  getSchema,
]

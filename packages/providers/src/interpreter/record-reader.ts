import type { ProviderObject, ReadObject } from '../catalogue/format/provider-file.ts'
import type { FieldMetadata, ProviderRecord, ReadPage, ReadPageRequest, SearchRequest } from '../connector.ts'
import type { FieldParts } from './field-parts.ts'

/** Reads and searches of one connection. */
export interface Reader {
  readPage(request: ReadPageRequest, object: ProviderObject): Promise<ReadPage>
  search(request: SearchRequest, object: ProviderObject): Promise<ReadPage>
  canFilter(name: string, object: ProviderObject | undefined): boolean
  /** Maps records of a response as reads map them: with extracted custom fields, and with the requested children. */
  recordsOf(
    name: string,
    object: ReadObject,
    fields: 'all' | readonly string[],
    raw: readonly unknown[],
    options: {
      /** Whether their request used `{{fields}}`, which may have had no room for all of them. */
      isPartial: boolean
      signal: AbortSignal | undefined
    },
  ): Promise<ProviderRecord[]>
  /** The fields of the object; asked once per connector. */
  allFields(name: string, object: ProviderObject, signal: AbortSignal | undefined): Promise<FieldMetadata[]>
  /**
   * What `{{fields}}` stands for when these fields are wanted: no children, and nested names by the field that they lie
   * in. In several parts where the file says how much one request takes.
   */
  fieldsToAskFor(
    name: string,
    object: ProviderObject,
    fields: 'all' | readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<FieldParts>
}

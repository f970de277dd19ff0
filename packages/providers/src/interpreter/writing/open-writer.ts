import type { Connector } from '../../connector.ts'
import { ProviderError } from '../../provider-error.ts'

/** The part of a connector that writes. */
export type Writer = Pick<
  Connector,
  | 'canWrite'
  | 'batchSizeMax'
  | 'takesAssociations'
  | 'takesHeaders'
  | 'write'
  | 'writeBatch'
  | 'canFetch'
  | 'fetchRecord'
>

export function openWriter(): Writer {
  const refused = (object: string) => new ProviderError('unsupported_object', `"${object}" cannot be written so here.`)
  return {
    canWrite: () => false,
    batchSizeMax: () => undefined,
    takesAssociations: () => false,
    takesHeaders: () => false,
    write: async ({ object }) => {
      throw refused(object)
    },
    writeBatch: async ({ object }) => {
      throw refused(object)
    },
    canFetch: () => false,
    fetchRecord: async (object) => {
      throw refused(object)
    },
  }
}

import type { Adapter, AdapterPayload } from 'oidc-provider'

/** Stores what oidc-provider keeps (grants, tokens, sessions), in memory, by model and id. */
export interface MemoryStore {
  adapter(model: string): Adapter
  list(model: string): AdapterPayload[]
  deleteWhere(isGone: (model: string, payload: AdapterPayload) => boolean): void
}

export function createMemoryStore(clock: () => number): MemoryStore {
  const entries = new Map<string, { model: string; payload: AdapterPayload; expiresAt: number }>()
  const find = (key: string) => {
    const entry = entries.get(key)
    if (entry && entry.expiresAt > clock()) return entry
    entries.delete(key)
    return undefined
  }
  const deleteWhere: MemoryStore['deleteWhere'] = (isGone) => {
    for (const [key, { model, payload }] of entries) if (isGone(model, payload)) entries.delete(key)
  }
  const list = (model: string) =>
    [...entries.keys()].flatMap((key) => {
      const entry = find(key)
      return entry?.model === model ? [entry.payload] : []
    })

  return {
    list,
    deleteWhere,
    adapter: (model) => ({
      async upsert(id, payload, expiresIn) {
        const expiresAt = expiresIn === undefined ? Number.POSITIVE_INFINITY : clock() + expiresIn * 1_000
        entries.set(`${model}:${id}`, { model, payload, expiresAt })
      },
      find: async (id) => find(`${model}:${id}`)?.payload,
      findByUid: async (uid) => list(model).find((payload) => payload.uid === uid),
      findByUserCode: async (code) => list(model).find((payload) => payload.userCode === code),
      async consume(id) {
        const entry = find(`${model}:${id}`)
        if (entry) entry.payload.consumed = Math.floor(clock() / 1_000)
      },
      async destroy(id) {
        entries.delete(`${model}:${id}`)
      },
      async revokeByGrantId(grantId) {
        deleteWhere((_, payload) => payload.grantId === grantId)
      },
    }),
  }
}

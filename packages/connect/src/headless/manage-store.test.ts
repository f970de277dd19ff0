import { expect, test } from 'vitest'
import { ago, info, integrations, status } from '../../stories/scenarios.ts'
import type { ConnectApi } from './api.ts'
import { ManageStore } from './manage-store.ts'
import type { Installation } from './wire.ts'

const summary = {
  id: 'inst-1',
  integrationId: 'int-crm',
  connectionId: 'c1',
  healthStatus: 'healthy' as const,
  isPaused: false,
  createTime: ago(60),
}
const content: Record<string, unknown> = {
  read: { objects: { contacts: { objectName: 'contacts', selectedFields: { email: true } } } },
}

test('a removal has the names of objects for people, also if the list has not loaded them', async () => {
  const asked: string[] = []
  let isOpen = false
  const store = new ManageStore({
    api: {
      getInfo: async () => info({ integrations, installations: [summary] }),
      getInstallation: async () =>
        ({ config: { content } as Installation['config'] }) as Partial<Installation> as Installation,
      getStatus: async () => {
        asked.push('status')
        // That of the list hangs.
        if (!isOpen) await new Promise(() => {})
        return { ...status, objects: [{ ...status.objects[0], displayName: 'People' }] }
      },
    } as Partial<ConnectApi> as ConnectApi,
  })
  void store.start()
  await expect.poll(() => asked).toEqual(['status'])
  isOpen = true
  await store.askRemove('inst-1')
  expect(store.getState().removal?.losses).toEqual([
    { name: 'CRM sync', objects: [{ label: 'People', fields: 1, mappings: 0 }] },
  ])
})

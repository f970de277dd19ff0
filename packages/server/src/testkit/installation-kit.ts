import { resolve } from 'node:path'
import { type SampleCrm, startSampleCrm } from '../../../../examples/sample-crm/src/index.ts'
import { startTestApp, type TestApp } from './test-app.ts'

export interface InstallationBody {
  id: string
  integrationId: string
  healthStatus: string
  createdBy: string
  updateTime?: string
  connection: { id: string; status: string; apiKey?: string }
  group: { groupRef: string }
  config: {
    id: string
    revisionId: string
    createdBy: string
    content: {
      provider: string
      read?: { objects: Record<string, Record<string, unknown>> }
      write?: { objects: Record<string, Record<string, unknown>> }
      subscribe?: { objects: Record<string, Record<string, unknown>> }
      proxy?: { enabled: boolean }
    }
  }
}

export interface ProblemBody {
  detail: string
  context: { code: string }
  issues: {
    in: string
    name: string
    detail: string
    value?: unknown
    remedy?: string
    context?: Record<string, unknown>
  }[]
}

/** What every read object is answered with, whether or not something is chosen. */
export const emptyMaps = { selectedFields: {}, selectedFieldMappings: {} }

/** What every test installs unless it deploys something of its own. */
export const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: sampleCrm
    read:
      objects:
        - objectName: contacts
          mapToName: people
          destination: hook
          schedule: "0 * * * *"
          requiredFields:
            - fieldName: email
            - { fieldName: phone, mapToName: telephone }
          optionalFields:
            - fieldName: score
            - { mapToName: stage, prompt: Which? }
          optionalFieldsAuto: all
          backfill: { defaultPeriod: { days: 3 } }
        - objectName: companies
          destination: hook
          schedule: "0 3 * * *"
          optionalFieldsAuto: all
        - objectName: price/list.items
          destination: hook
          schedule: "0 3 * * *"
          requiredFields: [{ fieldName: name }]
    write:
      objects:
        - objectName: contacts
    subscribe:
      objects:
        - objectName: contacts
          destination: hook
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
`

/** A service, a CRM, and short forms of the calls. */
export async function startInstallationKit({ env = {} }: { env?: Record<string, string> } = {}) {
  const crm: SampleCrm = await startSampleCrm({ contacts: 100, rateLimit: 0 })
  const app: TestApp = await startTestApp({
    // No worker: reads of its own would use up the failures that a test orders.
    env: {
      MORTISE_ROLES: 'api',
      MORTISE_PROVIDERS_DIR: resolve(import.meta.dirname, '../../../../examples/sample-crm/providers'),
      ...env,
    },
  })
  const base = `/projects/${app.projectId}`
  const path = (integration = 'crm') => `${base}/integrations/${integration}/installations`
  const kit = {
    app,
    crm,
    base,
    path,
    async deploy(sourceYaml: string, query = '') {
      const answer = await app.call('PUT', `${base}/integrations:batch${query}`, { sourceYaml })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    },
    async connect(groupRef: string, change: Record<string, unknown> = {}): Promise<string> {
      const account = { provider: 'sampleCrm', apiKey: 'demo-key', providerMetadata: { url: crm.url } }
      const body = { groupRef, consumerRef: 'ada', ...account, ...change }
      const answer = await app.call<{ id: string }>('POST', `${base}/connections:generate?verify=true`, body)
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return answer.body.id
    },
    create<T = InstallationBody>(groupRef: string, objects: unknown, change: object = {}, query = '') {
      const content = { provider: 'sampleCrm', ...(objects !== undefined && { read: { objects } }) }
      return app.call<T>('POST', `${path()}${query}`, { groupRef, config: { content }, ...change })
    },
    get: (id: string) => app.call<InstallationBody>('GET', `${path()}/${id}`),
    update<T = InstallationBody>(id: string, updateMask: string[], installation: unknown, query = '') {
      return app.call<T>('PATCH', `${path()}/${id}${query}`, { updateMask, installation })
    },
    patch<T = InstallationBody>(object: string, body: unknown) {
      return app.call<T>('PATCH', `${base}/integrations/crm/objects/${encodeURIComponent(object)}/config-content`, body)
    },
    async stop() {
      await app.stop()
      await crm.close()
    },
  }
  await kit.deploy(manifest)
  return kit
}

export type InstallationKit = Awaited<ReturnType<typeof startInstallationKit>>

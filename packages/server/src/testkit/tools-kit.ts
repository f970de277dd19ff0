import { type InstallationKit, startInstallationKit } from './installation-kit.ts'
import { createSigner, type TestSigner } from './test-consumer.ts'

export interface ToolBody {
  name: string
  description: string
  inputSchema: { properties: Record<string, SchemaBody>; required?: string[] }
  readOnly: boolean
  needsApproval: boolean
}

interface SchemaBody {
  type?: string | string[]
  description?: string
  enum?: (string | null)[]
  properties?: Record<string, SchemaBody>
  required?: string[]
  maximum?: number
}

export interface ResultBody {
  isError: boolean
  operationId?: string
  content: {
    providerData?: {
      provider: string
      records?: Record<string, unknown>[]
      record?: Record<string, unknown>
      /** Of a tool of the builder. */
      result?: unknown
    }
    omitted?: number
    message?: string
    nextCursor?: string
    note?: string
    done?: string
    id?: string
    dryRun?: boolean
    status?: string
    approvalId?: string
    error?: {
      code: string
      message: string
      details?: string[]
      retryAfterSeconds?: number
      providerMessage?: string
    }
  }
}

/** Returns a manifest whose agents may use contacts under these rules. */
export function agentManifest(
  rules: Record<string, unknown> = {},
  { name = 'crm', agent = {} }: { name?: string; agent?: Record<string, unknown> } = {},
): string {
  const object = { objectName: 'contacts', actions: ['search', 'get', 'list', 'create', 'update', 'delete'], ...rules }
  return JSON.stringify({
    specVersion: '1.0.0',
    integrations: [
      {
        name,
        provider: 'sampleCrm',
        displayName: 'CRM',
        read: {
          objects: [
            {
              objectName: 'contacts',
              mapToName: 'people',
              destination: 'hook',
              requiredFields: [{ fieldName: 'email' }, { fieldName: 'phone', mapToName: 'telephone' }],
              optionalFields: [{ mapToName: 'lifecycle' }],
              optionalFieldsAuto: 'all',
            },
          ],
        },
        write: { objects: [{ objectName: 'contacts', inheritMapping: true }] },
        agent: { objects: [object], ...agent },
      },
    ],
  })
}

export interface ToolsKit extends InstallationKit {
  signer: TestSigner
  /** Deploys rules, and installs for a new group. Returns the group. */
  group(rules?: Record<string, unknown>, options?: GroupOptions): Promise<string>
  tools(groupRef: string): Promise<ToolBody[]>
  tool(groupRef: string, name: string): Promise<ToolBody>
  call(groupRef: string, name: string, args?: unknown, more?: Record<string, unknown>): Promise<ResultBody>
}

export interface GroupOptions {
  agent?: Record<string, unknown>
  /** The config of the read object. */
  read?: Record<string, unknown>
}

export async function startToolsKit(options: { env?: Record<string, string> } = {}): Promise<ToolsKit> {
  const kit = await startInstallationKit(options)
  const { app, base } = kit
  let groups = 0
  const tools: ToolsKit = {
    ...kit,
    signer: await createSigner(app, { project: app.projectId }),
    async group(rules = {}, { agent = {}, read = {} } = {}) {
      await kit.deploy(agentManifest(rules, { agent }))
      const groupRef = `group-${++groups}`
      await kit.connect(groupRef)
      const content = {
        provider: 'sampleCrm',
        read: {
          objects: { contacts: { selectedFieldsAuto: 'all', selectedFieldMappings: { lifecycle: 'stage' }, ...read } },
        },
        write: { objects: { contacts: { deletionSettings: { enabled: true } } } },
      }
      const made = await app.call('POST', kit.path(), { groupRef, config: { content } })
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
      return groupRef
    },
    async tools(groupRef) {
      const answer = await app.call<ToolBody[]>('GET', `${base}/tools?groupRef=${groupRef}`)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body
    },
    async tool(groupRef, name) {
      const found = (await tools.tools(groupRef)).find((tool) => tool.name === name)
      if (!found) throw new Error(`the group has no tool ${name}`)
      return found
    },
    async call(groupRef, name, args = {}, more = {}) {
      const body = { groupRef, arguments: args, ...more }
      const answer = await app.call<ResultBody>('POST', `${base}/tools/${name}:call`, body)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body
    },
  }
  return tools
}

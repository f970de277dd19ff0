import type { Client } from '@mortise/client'
import type { CatalogueFault } from '@mortise/providers/check'
import { z } from 'zod'
import type { ServiceSettings } from '../service/settings.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'
import type { ToolResult } from './results.ts'

/** What a tool works with. */
export interface ToolCall {
  /** Aborts when the client cancels the request, or when the server ends. */
  signal: AbortSignal
  /** Whether results may have contents of records. */
  showRecords: boolean
  /**
   * Returns a client of the service, with the credential of the person.
   *
   * @param project id or name; the one of the settings when absent
   * @throws NotSignedIn
   */
  connect(project?: string): Promise<Client>
  /** Returns a client for what needs no credential. */
  connectAnonymously(): Promise<Client>
  /** Returns every fault of a provider file. */
  checkProviderFile(file: { path: string; text: string }): Promise<CatalogueFault[]>
  /** The computer that the tools work on; absent at the service. */
  computer?: Computer
}

/** The computer of the person who started the server. */
export interface Computer {
  terminal: Terminal
  /** Tools read files below this folder only. */
  folder: string
  settings(): Promise<ServiceSettings>
}

/**
 * What a call may do. `read` changes nothing. `change` can be undone, or only starts work. `destroy` may end what
 * customers rely on.
 */
export type Effect = 'read' | 'change' | 'destroy'

interface Described {
  name: string
  title: string
  description: string
  effect: Effect
  /** The same call has the same effect twice as once. */
  isIdempotent?: true
  /** It works on this computer, and sends no request to the service. */
  isOffline?: true
  /** It works in no project. */
  isGlobal?: true
}

/** A tool as the server lists and calls it. */
export interface Tool extends Described {
  inputSchema: { type: 'object'; [key: string]: unknown }
  /** @throws UsageError which names every invalid argument */
  call(given: unknown, call: ToolCall): Promise<ToolResult>
  /** Returns the tool as the service serves it: without files of a computer, in the project that each call names. */
  atService(): Tool
}

interface DeclaredTool<S extends z.ZodObject> extends Described {
  input: S
  run(input: z.output<S>, call: ToolCall): Promise<ToolResult>
}

/** Declares a tool; the JSON Schema of its arguments, and their validation, come from `input`. */
export function tool<S extends z.ZodObject>({ input, run, ...described }: DeclaredTool<S>): Tool {
  const schema = z.toJSONSchema(input, { io: 'input' })
  return {
    ...described,
    inputSchema: { ...schema, type: 'object' },
    call: async (given, call) => {
      const parsed = input.safeParse(given ?? {})
      if (!parsed.success) throw new UsageError(issuesText(described.name, parsed.error))
      return await run(parsed.data, call)
    },
    atService: () => atService({ input, run, ...described }),
  }
}

const project = z.string().min(1).max(512).describe('id or name of the project; list_projects lists them')

function atService<S extends z.ZodObject>({ input, run, ...described }: DeclaredTool<S>): Tool {
  const isInProject = described.isOffline !== true && described.isGlobal !== true
  const { path, ...shape } = input.shape
  // A text in place of a path has to be there.
  const text = path && shape['text'] instanceof z.ZodOptional ? { text: shape['text'].unwrap() } : {}
  const hosted = z.strictObject({ ...(isInProject && { project }), ...shape, ...text })
  return tool({
    ...described,
    input: hosted,
    run: async (given, call) => {
      const { project: named, ...others } = given as z.output<S> & { project?: string }
      // The rest has the same shape, and a path is never there.
      return await run(others as z.output<S>, { ...call, connect: () => call.connect(named) })
    },
  })
}

function issuesText(name: string, { issues }: z.ZodError): string {
  const lines = issues.map(({ path, message }) => `- ${path.length === 0 ? 'arguments' : path.join('.')}: ${message}`)
  return [`The arguments of ${name} are not valid:`, ...lines].join('\n')
}

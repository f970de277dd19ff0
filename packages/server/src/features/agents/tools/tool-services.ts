import type { WriteServices } from '../../sync/writing/index.ts'
import type { ToolHooks } from './hooks.ts'
import type { ToolCalls } from './tool-calls.ts'

/** What calling tools needs. */
export type ToolServices = WriteServices & { hooks: ToolHooks; toolCalls: ToolCalls }

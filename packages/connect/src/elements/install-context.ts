import type { TemplateResult } from 'lit'
import type { ViewContext } from './parts.ts'

/** What the views of an installation need. */
export interface InstallView extends ViewContext {
  /** Name of the mapping whose list of fields is open. */
  openPicker: string | undefined
  setPicker(name: string | undefined): void
  /** Number of the record in the preview. */
  recordIndex: number
  setRecord(index: number): void
  onDone?: (() => void) | undefined
  /** Leads out of the first step. */
  onBack?: (() => void) | undefined
  /** Draws the step that gives access to an account. */
  connect(): TemplateResult
  /** Draws the step of the webhook at the provider. */
  webhook(): TemplateResult
}

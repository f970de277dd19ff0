import type { PropertyDeclarations, TemplateResult } from 'lit'
import type { DynamicMappings } from '../headless/draft.ts'
import { MortiseElement } from './element.ts'
import { InstallFlow } from './install-flow.ts'
import { skeleton } from './parts.ts'

/**
 * Lets a customer choose what an integration reads and writes, and install it; later, change it.
 *
 * @fires mortise-connected - `{connection}`
 * @fires mortise-installed - `{installation}`
 * @fires mortise-changed - `{installation}`
 * @fires mortise-error - `{kind, detail, issues, requestId, canRetry}`
 * @fires mortise-closed - the customer is done
 */
export class MortiseInstall extends MortiseElement {
  static override properties: PropertyDeclarations = {
    integration: {},
    mappings: { attribute: false },
    closable: { type: Boolean },
  }

  /** Id or name of the integration; needed unless the customer may install only one. */
  declare integration: string | undefined
  /** Fields that your page offers in addition to those of the manifest, by object. */
  declare mappings: DynamicMappings | undefined
  /** Whether the last step has a button, which fires `mortise-closed`. */
  declare closable: boolean | undefined

  readonly #installing = new InstallFlow(this)

  protected override identity(): string[] {
    return ['integration']
  }

  protected override begin(): void {
    this.#installing.begin({ integration: this.integration, mappings: this.mappings })
  }

  protected override viewKey(): string {
    return this.#installing.viewKey
  }

  protected override attempts(): number {
    return this.#installing.attempts
  }

  protected override body(): TemplateResult {
    const context = this.viewContext
    const onDone = this.closable ? () => this.notify('mortise-closed', {}) : undefined
    return this.#installing.isRunning ? this.#installing.render(context, { onDone }) : skeleton(context)
  }
}

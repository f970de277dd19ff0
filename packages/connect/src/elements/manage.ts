import type { PropertyDeclarations, TemplateResult } from 'lit'
import { MortiseElement } from './element.ts'
import { ManageFlow } from './manage-flow.ts'

/**
 * Shows a customer what is connected and installed, whether it works, and lets them change it.
 *
 * @fires mortise-connected - `{connection}`: an account was connected again
 * @fires mortise-changed - `{installation}`
 * @fires mortise-removed - `{installationId}` or `{connectionId}`
 * @fires mortise-error - `{kind, detail, issues, requestId, canRetry}`
 */
export class MortiseManage extends MortiseElement {
  static override properties: PropertyDeclarations = {
    integration: {},
  }

  /** Only this integration, by id or name. */
  declare integration: string | undefined

  readonly #managing = new ManageFlow(this)

  protected override identity(): string[] {
    return ['integration']
  }

  protected override begin(): void {
    this.#managing.begin(this.integration)
  }

  protected override viewKey(): string {
    return this.#managing.viewKey
  }

  protected override attempts(): number {
    return this.#managing.attempts
  }

  protected override body(): TemplateResult {
    return this.#managing.render(this.viewContext)
  }
}

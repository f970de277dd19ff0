import { html, nothing } from 'lit'
import type { Draft } from '../headless/draft.ts'
import type { InstallState } from '../headless/install-state.ts'
import type { InstallStore } from '../headless/install-store.ts'
import type { InstallView } from './install-context.ts'

/** All that is missing; takes the focus, and leads to each object. */
export function issueSummary(
  view: InstallView,
  store: InstallStore,
  { issues, objectName }: InstallState,
  draft: Draft,
) {
  const { t } = view
  if (issues.length === 0) return nothing
  return html`<div class="note error" id="result" tabindex="-1" role="group" aria-labelledby="result-title" part="error">
    <strong id="result-title">${t.text('install.issues', { count: issues.length })}</strong>
    <ul>
      ${issues.map((issue) => {
        if (issue.kind === 'empty') return html`<li>${t.text('install.issue.empty')}</li>`
        const object = draft.objects.find((one) => one.objectName === issue.objectName)
        const mapping = object?.mappings.find(({ name }) => name === issue.name)
        const text = t.text(`install.issue.${issue.kind}`, {
          object: object?.label,
          name: mapping?.label,
          field: object?.all.find(({ name }) => name === mapping?.field)?.label ?? mapping?.field,
        })
        const go = () => {
          if (objectName !== issue.objectName) store.openObject(issue.objectName)
          view.focus(`mapping-${issue.name}`)
        }
        return html`<li><button type="button" @click=${go}>${text}</button></li>`
      })}
    </ul>
  </div>`
}

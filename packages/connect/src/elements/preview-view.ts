import { html, nothing, type TemplateResult } from 'lit'
import type { InstallState } from '../headless/install-state.ts'
import type { InstallStore } from '../headless/install-store.ts'
import type { PreviewRecord } from '../headless/wire.ts'
import type { InstallView } from './install-context.ts'
import { backButton, heading, skeleton, troubleNote } from './parts.ts'

/** A few records as they would be delivered, one at a time. */
export function previewView(view: InstallView, store: InstallStore, state: InstallState): TemplateResult {
  const { t, app } = view
  const { draft, integration } = state
  if (!draft || !integration) return skeleton(view)
  const objects = draft.objects.filter(({ isOn }) => isOn)
  const provider = integration.providerDisplayName
  const label = state.saved ? t.text('save') : t.text('install.submit', { app })
  return html`<div class="stack">
    ${backButton(view, () => store.back())}
    <div class="tight">
      ${heading(t.text('install.preview'))}
      <p class="quiet">${t.text('install.previewText', { app })}</p>
    </div>
    ${state.saveTrouble ? troubleNote(view, state.saveTrouble, { provider, retry: () => void store.save() }) : nothing}
    ${
      objects.length > 1
        ? html`<div class="actions tabs" role="group" aria-label=${t.text('install.preview')}>
            ${objects.map(
              (object) => html`<button
                type="button"
                aria-pressed=${object.objectName === state.objectName}
                @click=${() => {
                  view.setRecord(0)
                  store.showPreview(object.objectName)
                }}
              >
                ${object.label}
              </button>`,
            )}
          </div>`
        : nothing
    }
    ${recordsView(view, store, state)}
    <button
      type="button"
      class="primary"
      id="submit"
      part="primary"
      aria-disabled=${state.isSaving ? 'true' : nothing}
      @click=${() => void store.save()}
    >
      ${state.isSaving ? t.text(state.saved ? 'saving' : 'install.installing') : label}
    </button>
    <p class="hidden" role="status">${state.isSaving ? t.text('install.installing') : ''}</p>
  </div>`
}

function recordsView(view: InstallView, store: InstallStore, state: InstallState): TemplateResult {
  const { t } = view
  const loaded = state.previews[state.objectName ?? '']
  if (!loaded) return skeleton(view)
  if (!loaded.preview) {
    const trouble = loaded.trouble ?? { kind: 'failed', canRetry: true }
    return html`${troubleNote(view, trouble, {
      provider: state.integration?.providerDisplayName ?? '',
      retry: () => void store.preview(),
    })}
      <p class="quiet small">${t.text('install.previewSkip')}</p>`
  }
  const { records } = loaded.preview
  const index = Math.min(view.recordIndex, records.length - 1)
  const record = records[index]
  if (!record) return html`<p class="note">${t.text('install.previewEmpty')}</p>`
  return html`<div class="record" part="record">
    <div class="row">
      <p class="grow small numbers" role="status">
        ${t.text('install.previewOf', { index: index + 1, count: records.length })}
      </p>
      ${pager(view, t.text('install.previewBefore'), 'before', index > 0, index - 1)}
      ${pager(view, t.text('install.previewNext'), 'after', index < records.length - 1, index + 1)}
    </div>
    <dl>${recordEntries(view, state, record)}</dl>
  </div>`
}

function pager(view: InstallView, label: string, direction: 'before' | 'after', isOn: boolean, target: number) {
  return html`<button
    type="button"
    class="plain pager"
    aria-label=${label}
    aria-disabled=${isOn ? nothing : 'true'}
    @click=${() => isOn && view.setRecord(target)}
  >
    <span class="chevron ${direction}" aria-hidden="true"></span>
  </button>`
}

function recordEntries({ t }: InstallView, { draft, objectName }: InstallState, record: PreviewRecord) {
  const object = draft?.objects.find((one) => one.objectName === objectName)
  const fields = [...(object?.required ?? []), ...(object?.optional ?? [])]
  const label = (name: string) => {
    const renamed = fields.find((one) => one.mapToName === name)
    if (renamed?.mapTo !== undefined && renamed.label !== renamed.mapTo)
      return html`${renamed.label} <span class="block">${t.text('install.fieldsAs', { name: renamed.mapTo })}</span>`
    return (
      object?.mappings.find((one) => one.name === name)?.label ??
      object?.all.find((one) => one.name === name)?.label ??
      name
    )
  }
  const entries = [...Object.entries(record.fields ?? {}), ...Object.entries(record.mappedFields ?? {})]
  return entries.map(([name, value]) => {
    const isEmpty = value === null || value === undefined || value === ''
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    return html`<div>
      <dt class="quiet small">${label(name)}</dt>
      <dd>${isEmpty ? html`<span class="quiet">${t.text('install.previewEmptyValue')}</span>` : html`<bdi>${text}</bdi>`}</dd>
    </div>`
  })
}

import { html, nothing, type TemplateResult } from 'lit'
import type { Removal } from '../headless/manage-state.ts'
import type { ManageStore } from '../headless/manage-store.ts'
import { backButton, heading, skeleton, troubleNote, type ViewContext } from './parts.ts'

/** Names what is lost, and asks for the name when it is more than one thing. */
export function removeView(view: ViewContext, store: ManageStore, removal: Removal): TemplateResult {
  const { t, app } = view
  const { kind, name, provider, losses } = removal
  const isConnection = kind === 'connection'
  const text = isConnection
    ? t.text(losses?.length === 0 ? 'manage.disconnectAlone' : 'manage.disconnectText')
    : t.text('manage.removeText', { app, provider })
  return html`<div class="stack">
    ${backButton(view, () => store.back())}
    ${heading(isConnection ? t.text('manage.disconnectTitle', { provider }) : t.text('manage.removeTitle', { name }))}
    ${removal.trouble ? troubleNote(view, removal.trouble, { provider, retry: () => void store.remove() }) : nothing}
    ${losses ? html`<div class="tight wide-gap"><p>${text}</p>${lossesView(view, removal)}</div>` : skeleton(view)}
    <p class="quiet small">${t.text('manage.removeKept', { provider })}</p>
    ${
      removal.needsName
        ? html`<div class="field">
            <label for="confirm">${t.text('manage.removeConfirm', { name })}</label>
            <div class="control">
              <input
                id="confirm"
                type="text"
                autocomplete="off"
                spellcheck="false"
                .value=${removal.typed}
                @input=${(event: InputEvent) => store.setTyped((event.target as HTMLInputElement).value)}
              />
            </div>
          </div>`
        : nothing
    }
    <div class="actions">
      <button
        type="button"
        class="danger"
        part="danger"
        id="submit"
        aria-disabled=${store.canRemove ? nothing : 'true'}
        @click=${() => void store.remove()}
      >
        ${isConnection ? t.text('manage.disconnectNamed', { provider }) : t.text('manage.removeAction', { name })}
      </button>
      <button type="button" @click=${() => store.back()}>${t.text('cancel')}</button>
    </div>
  </div>`
}

function lossesView({ t }: ViewContext, { kind, losses = [] }: Removal): TemplateResult | typeof nothing {
  const objects = losses.flatMap((loss) =>
    loss.objects.map(({ label, fields, mappings }) =>
      fields + mappings === 0 ? label : t.text('manage.lossFields', { object: label, count: fields, mapped: mappings }),
    ),
  )
  const items = kind === 'connection' ? losses.map(({ name }) => name) : objects
  return items.length === 0 ? nothing : html`<ul class="bullets">${items.map((item) => html`<li>${item}</li>`)}</ul>`
}

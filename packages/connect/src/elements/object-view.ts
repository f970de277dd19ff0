import { html, nothing, type TemplateResult } from 'lit'
import type { FieldItem, MappingDraft, ObjectDraft } from '../headless/draft.ts'
import type { InstallState } from '../headless/install-state.ts'
import type { InstallStore } from '../headless/install-store.ts'
import type { InstallView } from './install-context.ts'
import { issueSummary } from './issue-summary.ts'
import { backButton, heading, skeleton } from './parts.ts'

/** The fields of one object: what is always read, what may be, and what is matched. */
export function objectView(view: InstallView, store: InstallStore, state: InstallState): TemplateResult {
  const { t } = view
  const { draft, integration } = state
  const object = draft?.objects.find(({ objectName }) => objectName === state.objectName)
  if (!draft || !object || !integration) return skeleton(view)
  const back = store.canGoBack ? () => store.back() : view.onBack
  return html`<div class="stack">
    ${back ? backButton(view, back) : nothing} ${heading(t.text('install.fields', { object: object.label }))}
    ${issueSummary(view, store, state, draft)}
    ${object.hasError ? html`<p class="note warning">${t.text('install.fieldsError')}</p>` : nothing}
    ${object.mappings.length > 0 ? mappingsView(view, store, state, object) : nothing}
    ${object.required.length > 0 ? requiredView(view, object) : nothing} ${optionalView(view, store, state, object)}
    <button type="button" class="primary" id="submit" part="primary" @click=${() => store.closeObject()}>
      ${t.text('continue')}
    </button>
  </div>`
}

function requiredView({ t }: InstallView, { required }: ObjectDraft): TemplateResult {
  return html`<section class="tight wide-gap" part="required">
    <h3>${t.text('install.fieldsRequired')}</h3>
    <ul class="chips">
      ${required.map(
        ({ label, mapTo }) => html`<li>
          ${label}${mapTo && mapTo !== label ? html` <span class="quiet">${t.text('install.fieldsAs', { name: mapTo })}</span>` : nothing}
        </li>`,
      )}
    </ul>
  </section>`
}

function optionalView({ t }: InstallView, store: InstallStore, state: InstallState, object: ObjectDraft) {
  const { objectName, optional, selected, isAll, canBeAll } = object
  if (optional.length === 0 && !canBeAll) return nothing
  const toggle = (event: CustomEvent<{ name: string }>) =>
    store.setField(objectName, event.detail.name, !selected.has(event.detail.name))
  return html`<section class="tight wide-gap" part="optional">
    <div class="row">
      <h3 class="grow">${t.text('install.fieldsOptional')}</h3>
      ${isAll ? nothing : html`<span class="quiet small">${t.text('install.fieldsChosen', { count: selected.size })}</span>`}
    </div>
    ${
      canBeAll
        ? html`<label class="choice">
            <input
              type="checkbox"
              .checked=${isAll}
              @change=${(event: Event) => store.setAll(objectName, (event.target as HTMLInputElement).checked)}
            />
            <span>${t.text('install.fieldsAll')}</span>
          </label>`
        : nothing
    }
    ${
      isAll
        ? nothing
        : optional.length === 0
          ? html`<p class="quiet">${t.text('install.fieldsNone')}</p>`
          : html`<mortise-field-box
              .fields=${optional}
              .selected=${selected}
              .samples=${state.samples[objectName] ?? {}}
              .translator=${t}
              label=${t.text('install.fieldsOptional')}
              exportparts="search, fields"
              @pick=${toggle}
            ></mortise-field-box>`
    }
  </section>`
}

function mappingsView(view: InstallView, store: InstallStore, state: InstallState, object: ObjectDraft) {
  const { t } = view
  return html`<section class="tight wide-gap" part="mappings">
    <div class="tight">
      <h3>${t.text('install.mappings')}</h3>
      <p class="quiet small">${t.text('install.mappingsText', { provider: state.integration?.providerDisplayName })}</p>
    </div>
    <ul class="list">
      ${object.mappings.map((mapping) => mappingView(view, store, state, object, mapping))}
    </ul>
  </section>`
}

function mappingView(
  view: InstallView,
  store: InstallStore,
  state: InstallState,
  object: ObjectDraft,
  mapping: MappingDraft,
): TemplateResult {
  const { t } = view
  const id = `mapping-${mapping.name}`
  const isOpen = view.openPicker === `${object.objectName} ${mapping.name}`
  const field = object.all.find(({ name }) => name === mapping.field)
  const isMissing = state.issues.some((issue) => issue.kind === 'mapping' && issue.name === mapping.name)
  const sample = mapping.field === undefined ? undefined : state.samples[object.objectName]?.[mapping.field]
  const saved = state.saved?.objects
    .find(({ objectName }) => objectName === object.objectName)
    ?.mappings.find(({ name }) => name === mapping.name)
  const toggle = () => view.setPicker(isOpen ? undefined : `${object.objectName} ${mapping.name}`)
  return html`<li class="mapping field ${isMissing ? 'wrong' : ''}" part="mapping">
    <div class="tight">
      <span class="label" id="${id}-label"
        >${mapping.label}${mapping.isRequired ? nothing : html` <span class="quiet small">(${t.text('optional')})</span>`}
        ${state.saved && saved?.field !== mapping.field ? html`<span class="tag">${t.text('install.changed')}</span>` : nothing}</span
      >
      ${mapping.prompt ? html`<p class="quiet small" id="${id}-prompt"><bdi>${mapping.prompt}</bdi></p>` : nothing}
    </div>
    <button
      type="button"
      class="picker control"
      id=${id}
      part="picker"
      aria-expanded=${isOpen}
      aria-labelledby="${id}-label ${id}"
      aria-describedby=${mapping.prompt ? `${id}-prompt` : nothing}
      @click=${toggle}
    >
      <span class="grow"
        >${field?.label ?? mapping.field ?? t.text('install.mappingNone')}
        ${mapping.isSuggested ? html`<span class="tag">${t.text('install.suggested')}</span>` : nothing}
        ${sample === undefined ? nothing : html`<span class="quiet small block">${t.text('install.sample', { value: sample })}</span>`}
      </span>
      <span class="chevron ${isOpen ? 'up' : 'down'}" aria-hidden="true"></span>
    </button>
    ${isMissing ? html`<p class="issue">${t.text('install.issue.mapping', { object: object.label, name: mapping.label })}</p>` : nothing}
    ${isOpen ? pickerView(view, store, state, object, mapping, id) : nothing}
    ${mapping.field !== undefined && mapping.mappedValues.length > 0 ? valuesView(view, store, object, mapping, field) : nothing}
  </li>`
}

function pickerView(
  view: InstallView,
  store: InstallStore,
  state: InstallState,
  object: ObjectDraft,
  mapping: MappingDraft,
  id: string,
): TemplateResult {
  const { t } = view
  const choose = (field: string | undefined) => {
    store.setMapping(object.objectName, mapping.name, field)
    view.setPicker(undefined)
    view.focus(id)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    view.setPicker(undefined)
    view.focus(id)
  }
  return html`<div class="tight wide-gap" @keydown=${onKey}>
    <mortise-field-box
      single
      id="picker"
      .fields=${object.all}
      .selected=${new Set(mapping.field === undefined ? [] : [mapping.field])}
      .samples=${state.samples[object.objectName] ?? {}}
      .translator=${t}
      label=${t.text('install.mapping', { provider: state.integration?.providerDisplayName })}
      exportparts="search, fields"
      @pick=${(event: CustomEvent<{ name: string }>) => choose(event.detail.name)}
    ></mortise-field-box>
    ${
      mapping.isRequired || mapping.field === undefined
        ? nothing
        : html`<button type="button" class="plain skip" @click=${() => choose(undefined)}>${t.text('install.mappingSkip')}</button>`
    }
  </div>`
}

/** For each of the builder's values, the account's value that means the same. */
function valuesView(
  { t }: InstallView,
  store: InstallStore,
  object: ObjectDraft,
  mapping: MappingDraft,
  field: FieldItem | undefined,
): TemplateResult {
  return html`<fieldset class="values" part="values">
    <legend class="small">${t.text('install.valuesText', { field: field?.label ?? mapping.field })}</legend>
    ${mapping.mappedValues.map(({ value, label }) => {
      const id = `value-${mapping.name}-${value}`
      const chosen = mapping.valueMap[value] ?? ''
      const set = (event: Event) =>
        store.setValueMapping(object.objectName, mapping.name, value, (event.target as HTMLInputElement).value)
      return html`<div class="pair">
        <label for=${id} class="small">${label}</label>
        ${
          field && field.values.length > 0
            ? html`<select id=${id} @change=${set}>
                <option value="" ?selected=${chosen === ''}>${t.text('install.valueNone')}</option>
                ${field.values.map((one) => html`<option value=${one.value} ?selected=${one.value === chosen}>${one.label}</option>`)}
              </select>`
            : html`<span class="control"><input id=${id} type="text" autocomplete="off" .value=${chosen} @change=${set} /></span>`
        }
      </div>`
    })}
  </fieldset>`
}

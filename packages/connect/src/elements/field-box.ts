import {
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit'
import type { FieldItem } from '../headless/draft.ts'
import { indexed, type SearchIndex, search } from '../headless/search.ts'
import type { Translator } from '../messages/translator.ts'
import { controls } from './style-controls.ts'
import { layout } from './style-layout.ts'
import { visibleRows } from './visible-rows.ts'

/** Until a row is measured; larger text makes all rows higher. */
const rowPxDefault = 56
const boxPx = 336
/** Properties with which rows may get another height. */
const measured = ['fields', 'samples', 'translator']

/**
 * A searchable list of thousands of fields, of which only the visible rows exist. The search field has the focus, and
 * arrow keys and Enter act on the list (combobox pattern of WAI-ARIA).
 *
 * @fires pick - `{name}`: the field was chosen, or chosen no longer
 */
export class FieldBox extends LitElement {
  static override styles = [
    layout,
    controls,
    css`
      :host {
        display: grid;
        gap: 8px;
        grid-template-columns: minmax(0, 1fr);
      }
      .box {
        max-height: ${boxPx}px;
        overflow-y: auto;
        border: 1px solid var(--_line);
        border-radius: var(--_radius);
        position: relative;
        overscroll-behavior: contain;
        contain: content;
      }
      .sizer {
        position: relative;
      }
      .option {
        position: absolute;
        inset-block-start: 0;
        inset-inline: 0;
        display: flex;
        align-items: center;
        gap: 12px;
        min-height: ${rowPxDefault}px;
        padding: 6px 12px;
        cursor: pointer;
      }
      .option {
        border-inline-start: 3px solid transparent;
      }
      .option:hover {
        background: var(--_hover);
      }
      :host(:focus-within) .option.active {
        background: var(--_hover);
        border-inline-start-color: var(--_accent);
      }
      .option .check {
        flex: none;
        display: grid;
        place-items: center;
        width: 20px;
        height: 20px;
        border: 1px solid var(--_edge);
        border-radius: 4px;
        color: transparent;
      }
      .option.single .check {
        border-radius: 50%;
      }
      .option[aria-selected='true'] .check {
        background: var(--_accent);
        border-color: var(--_accent);
        color: var(--_on-accent);
      }
      .option .tight {
        gap: 0;
        min-width: 0;
        flex: 1;
      }
      .option .tight > span {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .option .tight:dir(rtl) > span {
        text-align: right;
      }
      .check svg {
        width: 14px;
        height: 14px;
      }
    `,
  ]

  static override properties: PropertyDeclarations = {
    fields: { attribute: false },
    selected: { attribute: false },
    samples: { attribute: false },
    translator: { attribute: false },
    label: {},
    single: { type: Boolean },
    query: { state: true },
    active: { state: true },
    offset: { state: true },
    rowPx: { state: true },
  }

  declare fields: readonly FieldItem[]
  declare selected: ReadonlySet<string>
  declare samples: Readonly<Record<string, string>>
  declare translator: Translator
  declare label: string
  /** One field is chosen, not several. */
  declare single: boolean
  declare protected query: string
  declare protected active: number
  /** How far the list is scrolled. */
  declare protected offset: number
  declare protected rowPx: number

  #index: SearchIndex<FieldItem> = { entries: [], texts: [] }
  #found: readonly FieldItem[] = []
  #mustScroll = false

  constructor() {
    super()
    this.fields = []
    this.selected = new Set()
    this.samples = {}
    this.query = ''
    this.active = 0
    this.offset = 0
    this.rowPx = rowPxDefault
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('input')?.focus()
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('fields')) {
      // What is chosen comes first, and stays there while the customer chooses.
      const chosen = this.fields.filter(({ name }) => this.selected.has(name))
      const others = this.fields.filter(({ name }) => !this.selected.has(name))
      this.#index = indexed([...chosen, ...others], ({ label, name, mapTo }) => `${label} ${name} ${mapTo ?? ''}`)
    }
    if (changed.has('fields') || changed.has('query')) {
      this.#found = search(this.#index, this.query)
      this.active = 0
      this.#mustScroll = this.offset > 0
      this.offset = 0
    }
  }

  /** Positions are set as properties: a strict policy forbids attributes of style. */
  protected override updated(changed: PropertyValues): void {
    const sizer = this.renderRoot.querySelector<HTMLElement>('.sizer')
    if (sizer) sizer.style.height = `${this.#found.length * this.rowPx}px`
    const rows = [...this.renderRoot.querySelectorAll<HTMLElement>('.option')]
    for (const row of rows) row.style.transform = `translateY(${Number(row.dataset['index']) * this.rowPx}px)`
    // Both make the browser lay out the page at once, which a key press has no time for.
    if (measured.some((name) => changed.has(name))) this.#measure(rows)
    if (this.#mustScroll) this.#box?.scrollTo(0, 0)
    this.#mustScroll = false
  }

  /** The highest row decides: some have no second line. */
  #measure(rows: readonly HTMLElement[]): void {
    const heightPx = Math.max(0, ...rows.map((row) => row.offsetHeight))
    if (heightPx > 0) this.rowPx = heightPx
  }

  get #box(): HTMLElement | null {
    return this.renderRoot.querySelector('.box')
  }

  #scrollTo(index: number): void {
    const box = this.#box
    if (!box) return
    const top = index * this.rowPx
    if (top < box.scrollTop) box.scrollTop = top
    else if (top + this.rowPx > box.scrollTop + box.clientHeight) box.scrollTop = top + this.rowPx - box.clientHeight
    this.offset = box.scrollTop
  }

  protected override render(): TemplateResult {
    const t = this.translator
    const found = this.#found.length
    const rows = visibleRows(this.offset, boxPx, this.rowPx, found)
    return html`
      <div class="control" part="search">
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="list"
          aria-autocomplete="list"
          aria-activedescendant=${found > 0 ? `option-${this.active}` : nothing}
          aria-label=${this.label}
          placeholder=${t.text('install.fieldsSearch', { count: this.fields.length })}
          autocomplete="off"
          spellcheck="false"
          .value=${this.query}
          @input=${(event: InputEvent) => {
            this.query = (event.target as HTMLInputElement).value
          }}
          @keydown=${this.#onKey}
        />
        ${
          this.query
            ? html`<button
                type="button"
                class="plain"
                @click=${() => {
                  this.query = ''
                  this.focus()
                }}
              >
                ${t.text('clear')}
              </button>`
            : nothing
        }
      </div>
      <p class="hidden" role="status">${this.query ? t.text('install.fieldsFound', { count: found }) : ''}</p>
      ${found === 0 ? html`<p class="quiet">${t.text('provider.none', { query: this.query })}</p>` : nothing}
      <div
        class="box"
        id="list"
        part="fields"
        role="listbox"
        aria-label=${this.label}
        aria-multiselectable=${this.single ? nothing : 'true'}
        tabindex="-1"
        ?hidden=${found === 0}
        @scroll=${(event: Event) => {
          this.offset = (event.target as HTMLElement).scrollTop
        }}
      >
        <div class="sizer" role="presentation">
          ${rows.map((index) => this.#row(index))}
        </div>
      </div>
    `
  }

  #row(index: number): TemplateResult | typeof nothing {
    const field = this.#found[index]
    if (!field) return nothing
    const facts = [
      field.mapTo && this.translator.text('install.fieldsAs', { name: field.mapTo }),
      field.type && field.type !== 'other' && this.translator.text(`type.${field.type}`),
      field.isCustom && this.translator.text('install.custom'),
    ]
    const sample = this.samples[field.name]
    if (sample !== undefined) facts.push(this.translator.text('install.sample', { value: this.#shown(field, sample) }))
    return html`<div
      class="option ${index === this.active ? 'active' : ''} ${this.single ? 'single' : ''}"
      id="option-${index}"
      data-index=${index}
      role="option"
      aria-selected=${this.selected.has(field.name)}
      aria-posinset=${index + 1}
      aria-setsize=${this.#found.length}
      @click=${() => this.#pick(index)}
    >
      <span class="check" aria-hidden="true"
        ><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="3"><path d="M5 12.5l4.5 4.5L19 7.5" /></svg
      ></span>
      <span class="tight"
        ><span dir="auto">${field.label}</span><span class="quiet small">${facts.filter(Boolean).join(' · ')}</span></span
      >
    </div>`
  }

  /** Dates as people write them. */
  #shown({ type }: FieldItem, sample: string): string {
    const isDate = type === 'date' || type === 'datetime'
    return isDate && !Number.isNaN(Date.parse(sample)) ? this.translator.date(sample) : sample
  }

  #pick(index: number): void {
    const field = this.#found[index]
    if (!field) return
    this.active = index
    this.dispatchEvent(new CustomEvent('pick', { detail: { name: field.name } }))
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    const last = this.#found.length - 1
    const pageRows = 5
    const targets: Record<string, number> = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active - 1,
      PageDown: this.active + pageRows,
      PageUp: this.active - pageRows,
    }
    const target = targets[event.key]
    if (event.key === 'Enter') {
      event.preventDefault()
      this.#pick(this.active)
    } else if (target !== undefined) {
      event.preventDefault()
      this.active = Math.max(0, Math.min(last, target))
      this.#scrollTo(this.active)
    }
  }
}

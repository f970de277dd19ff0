import { css } from 'lit'

/** Objects, fields, mappings, previews and progress. */
export const installing = css`
  .wide-gap {
    gap: 12px;
  }
  .block {
    display: block;
  }
  .tag {
    display: inline-block;
    padding: 0 6px;
    border-radius: 4px;
    font-size: 12px;
    line-height: 18px;
    font-weight: 500;
    background: var(--_soft);
    border: 1px solid var(--_line);
    white-space: nowrap;
  }
  /* Without enough room, the button goes below the label instead of breaking its words. */
  .entry:has(> label) {
    flex-wrap: wrap;
    row-gap: 0;
  }
  .entry > label.grow + button {
    margin-inline-start: 24px;
  }
  .entry label.grow {
    flex-basis: 9em;
    cursor: pointer;
    font-weight: 400;
    min-height: 40px;
    align-content: center;
  }
  .chips {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
  }
  .chips li {
    padding: 3px 10px;
    border-radius: 6px;
    background: var(--_hover);
    border: 1px solid var(--_line);
    font-size: 14px;
  }
  .mapping {
    padding: 14px 12px;
    gap: 8px;
  }
  .picker {
    align-items: center;
    width: 100%;
    padding: 8px 12px;
    text-align: start;
    font-weight: 400;
  }
  .picker .grow {
    flex: 1;
    min-width: 0;
  }
  .chevron.down {
    transform: rotate(135deg);
    margin-block-start: -4px;
  }
  .chevron.up {
    transform: rotate(-45deg);
    margin-block-end: -4px;
  }
  .chevron.before {
    display: block;
    transform: rotate(-135deg);
  }
  .chevron.after {
    display: block;
  }
  .chevron.before:dir(rtl) {
    transform: rotate(135deg);
  }
  .chevron.after:dir(rtl) {
    transform: rotate(-45deg);
  }
  .chevron.down:dir(rtl) {
    transform: rotate(-135deg);
  }
  .chevron.up:dir(rtl) {
    transform: rotate(45deg);
  }
  .skip {
    justify-self: start;
  }
  .values {
    display: grid;
    gap: 8px;
  }
  .values legend {
    margin-block-end: 8px;
  }
  .pair {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, 1.4fr);
    gap: 12px;
    align-items: center;
  }
  .tabs {
    gap: 8px;
  }
  .tabs button[aria-pressed='true'] {
    border-color: var(--_accent);
    background: var(--_soft);
    font-weight: 600;
  }
  .record {
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    overflow: hidden;
  }
  .record > .row {
    padding-block: 4px;
    padding-inline: 12px 4px;
    gap: 0;
    background: var(--_hover);
    border-block-end: 1px solid var(--_line);
  }
  .record dl > div {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, 1.6fr);
    gap: 12px;
    padding: 8px 12px;
    align-items: baseline;
  }
  .record dl > div + div {
    border-block-start: 1px solid var(--_line);
  }
  @container (max-width: 380px) {
    .record dl > div {
      grid-template-columns: minmax(0, 1fr);
      gap: 0;
    }
  }
  .pager {
    min-width: 44px;
    display: grid;
    place-items: center;
  }
  .progress {
    display: grid;
    gap: 6px;
    padding: 12px;
  }
  .progress .row {
    flex-wrap: wrap;
    gap: 4px 12px;
  }
  .progress .row > .grow {
    flex: 1 0 auto;
    max-width: 100%;
  }
  .item {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 12px;
    padding: 16px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
  }
  .item .row.top {
    gap: 12px;
  }
  .item .actions {
    gap: 8px;
  }
  .item .actions button {
    font-size: 14px;
    padding-inline: 14px;
  }
  .item .actions .plain {
    padding-inline: 8px;
  }
  @container (max-width: 380px) {
    .item .actions button {
      flex: 1 1 auto;
    }
  }
  .item > details > summary {
    min-height: 24px;
    cursor: pointer;
    color: var(--_quiet);
    font-size: 14px;
  }
  .item > details[open] > summary {
    margin-block-end: 8px;
  }
  ul.stack {
    gap: 12px;
  }
  progress {
    width: 100%;
    height: 6px;
    accent-color: var(--_accent);
  }
`

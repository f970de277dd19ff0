import { css } from 'lit'

/** Cards, headings, marks and statuses. */
export const layout = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  .card {
    background: var(--_surface);
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) + 4px);
    padding: 24px;
    overflow-wrap: anywhere;
  }
  :host(:lang(ja)) :is(h2, h3, strong, .status, button:not(li *)) {
    word-break: auto-phrase;
  }
  @container (max-width: 380px) {
    .card {
      padding: 16px;
    }
  }
  h2,
  h3,
  p,
  ul,
  ol,
  dl,
  dd,
  fieldset,
  legend {
    margin: 0;
    padding: 0;
    border: 0;
    min-width: 0;
  }
  ul,
  ol {
    list-style: none;
  }
  h2 {
    font-size: 20px;
    line-height: 1.3;
    font-weight: 600;
    text-wrap: balance;
  }
  p {
    text-wrap: pretty;
  }
  h2:focus {
    outline: none;
  }
  h3,
  legend {
    font-size: 16px;
    font-weight: 600;
  }
  .stack {
    display: grid;
    gap: 20px;
    grid-template-columns: minmax(0, 1fr);
  }
  .tight {
    display: grid;
    gap: 4px;
    grid-template-columns: minmax(0, 1fr);
  }
  .row {
    display: flex;
    align-items: center;
    gap: 12px;
  }
  .row > .grow {
    flex: 1;
    min-width: 0;
  }
  .row.top {
    align-items: start;
    gap: 16px;
  }
  .center {
    justify-items: center;
    text-align: center;
  }
  .quiet {
    color: var(--_quiet);
  }
  .small {
    font-size: 14px;
  }
  .numbers {
    font-variant-numeric: tabular-nums;
  }
  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  code {
    font: 13px ui-monospace, monospace;
  }
  .head {
    display: flex;
    align-items: center;
    gap: 12px;
    margin-block-end: 20px;
  }
  .brand {
    width: 32px;
    height: 32px;
    object-fit: contain;
    border-radius: 6px;
  }
  .mark {
    flex: none;
    display: grid;
    place-items: center;
    width: 40px;
    height: 40px;
    border-radius: 10px;
    background: var(--_soft);
    color: var(--_text);
    font-weight: 600;
    border: 1px solid var(--_line);
  }
  .mark.tint-1 {
    background: color-mix(in srgb, #2563eb 12%, var(--_surface));
  }
  .mark.tint-2 {
    background: color-mix(in srgb, #c2410c 12%, var(--_surface));
  }
  .mark.tint-3 {
    background: color-mix(in srgb, #7c3aed 12%, var(--_surface));
  }
  .mark.tint-4 {
    background: color-mix(in srgb, #b8860b 14%, var(--_surface));
  }
  .mark.tint-5 {
    background: color-mix(in srgb, #0e7490 13%, var(--_surface));
  }
  .mark.large {
    width: 48px;
    height: 48px;
    font-size: 20px;
  }
  .skeleton {
    display: grid;
    gap: 16px;
    animation: appear 0s 300ms both;
  }
  .skeleton > * {
    height: 48px;
    border-radius: var(--_radius);
    background: var(--_hover);
  }
  .skeleton > :first-child {
    height: 24px;
    width: 60%;
  }
  @keyframes appear {
    from {
      visibility: hidden;
    }
  }
  .status {
    display: inline-flex;
    align-items: baseline;
    gap: 6px;
    font-size: 14px;
    font-weight: 500;
  }
  .status::before {
    content: '';
    flex: none;
    width: 8px;
    height: 8px;
    border-radius: 50%;
    background: var(--_edge);
  }
  .status.ok::before {
    background: var(--_ok);
  }
  .status.error::before {
    background: var(--_error);
    border-radius: 1px;
  }
  .status.warning::before {
    background: var(--_warning);
    border-radius: 1px;
    transform: rotate(45deg);
  }
  hr {
    border: 0;
    border-block-start: 1px solid var(--_line);
    margin: 0;
  }
`

import { createLink, type LinkComponent } from '@tanstack/react-router'
import { type AnchorHTMLAttributes, type ButtonHTMLAttributes, forwardRef } from 'react'
import { classes } from './classes.ts'

type Look = 'primary' | 'plain' | 'quiet' | 'danger'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look
  /** Its action is under way: it cannot be pressed again. */
  busy?: boolean
  /** A square for one symbol. Needs `aria-label`. */
  icon?: boolean
}

export const Button = forwardRef<HTMLButtonElement, ButtonProps>(
  ({ look = 'plain', busy = false, icon = false, className, disabled, children, ...rest }, ref) => (
    <button
      type="button"
      {...rest}
      ref={ref}
      disabled={disabled}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
      className={classes('button', look, icon && 'icon', busy && 'busy', className)}
    >
      {children}
    </button>
  ),
)

const Anchor = forwardRef<HTMLAnchorElement, AnchorHTMLAttributes<HTMLAnchorElement> & { look?: Look }>(
  ({ look = 'plain', className, ...rest }, ref) => (
    <a {...rest} ref={ref} className={classes('button', look, className)} />
  ),
)

const CreatedLink = createLink(Anchor)

/** A link that looks like a button. */
export const LinkButton: LinkComponent<typeof Anchor> = (props) => <CreatedLink {...props} />

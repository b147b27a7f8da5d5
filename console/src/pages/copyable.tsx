import { useState } from 'react';
import { ScrollArea } from '../ui/parts.tsx';

/** A text to copy. Browsers offer the clipboard only to secure origins; elsewhere the text can be selected. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState(false);
  const clipboard = (navigator as { readonly clipboard?: Clipboard }).clipboard;
  return (
    <section className="copyable" aria-label={label}>
      <header>
        <h3>{label}</h3>
        {clipboard && (
          <button
            type="button"
            onClick={() => void clipboard.writeText(text).then(() => setCopied(true))}
            onBlur={() => setCopied(false)}
          >
            {copied ? 'Copied' : `Copy ${label === 'GraphQL' ? label : label.toLowerCase()}`}
          </button>
        )}
      </header>
      <ScrollArea label={`${label} text`}>
        <pre>{text}</pre>
      </ScrollArea>
    </section>
  );
}

import { Component, type ReactNode } from 'react';

interface Props {
  /** The current page; another page resets the boundary. */
  readonly page: string;
  readonly children: ReactNode;
}

interface State {
  readonly page: string;
  readonly error: Error | null;
}

/**
 * Says what to do when a page cannot be shown. After an update of the server, the files of pages that were not yet
 * visited are no longer there.
 */
export class ErrorBoundary extends Component<Props, State> {
  static getDerivedStateFromError(error: Error): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ page }: Props, state: State): Partial<State> | null {
    return page === state.page ? null : { page, error: null };
  }

  override state: State = { page: this.props.page, error: null };

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <>
        <header className="page-header">
          <h1>This page cannot be shown</h1>
        </header>
        <div className="error-box" role="alert">
          <p>
            The server may have been updated since the console was loaded. Reload the console; what you have typed in
            forms is kept. If that does not help, report this message: {error.message}
          </p>
          <button type="button" onClick={() => location.reload()}>
            Reload
          </button>
        </div>
      </>
    );
  }
}

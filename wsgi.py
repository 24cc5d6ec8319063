"""For a WSGI server of your choice: `gunicorn -k gthread --threads 32 wsgi:app` (`macao migrate` first)."""

from api import create_app

app = create_app()

# docker build -t urlmend . && docker run --rm -i urlmend < list.mbox
# docker run --rm -v "$PWD:/data" urlmend -r .
FROM python:3.13-slim
COPY . /source
RUN pip install --no-cache-dir "/source[fast,parquet,report,warc]" && rm -rf /source
USER nobody
WORKDIR /data
ENTRYPOINT ["urlmend"]
